/** The contract suites for transports, the loopback reference transport, fault injection, and guests with RoCE in software. */
@SuppressWarnings("module") // The module of the layers is compiled after this one, which does not see it yet.
module io.fairlead.testkit {
    requires transitive io.fairlead;
    requires static transitive org.jspecify;
    requires transitive org.junit.jupiter.api;
    requires transitive org.junit.platform.suite.api;
    requires org.junit.platform.launcher;
    // The suites of security are skipped where it is not on the path.
    requires static io.fairlead.security;
    requires java.management;
    requires jdk.management;
    requires org.slf4j;

    exports io.fairlead.testkit;
    exports io.fairlead.testkit.contract;
    exports io.fairlead.testkit.fault;
    exports io.fairlead.testkit.loopback;
    exports io.fairlead.testkit.roce;
    exports io.fairlead.testkit.internal to
            io.fairlead.testkit.layers;

    uses io.fairlead.spi.TransportProvider;

    provides io.fairlead.spi.TransportProvider with
            io.fairlead.testkit.loopback.LoopbackProvider;
    provides org.junit.platform.launcher.PostDiscoveryFilter with
            io.fairlead.testkit.selection.LeftOutFilter;
}
