/** Parameters of JUnit tests: nodes of a service and its caller. */
module io.fairlead.servicetest.junit {
    requires transitive io.fairlead.servicetest;
    requires static transitive org.jspecify;
    requires transitive org.junit.jupiter.api;

    exports io.fairlead.servicetest.junit;
}
