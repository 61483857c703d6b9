/** The {@code fairlead} command. */
module io.fairlead.cli {
    requires HdrHistogram;
    requires ch.qos.logback.classic;
    requires ch.qos.logback.core;
    requires com.fasterxml.jackson.annotation;
    requires transitive info.picocli;
    requires transitive io.fairlead;
    requires transitive io.fairlead.node;
    requires transitive io.fairlead.pubsub;
    requires io.fairlead.metrics;
    requires io.fairlead.samples;
    requires io.fairlead.security;
    // Brought by whoever starts roce-test; a release of the command is without it.
    requires static io.fairlead.testkit;
    requires java.management;
    requires java.net.http;
    requires jdk.management;
    requires static org.jspecify;
    requires org.slf4j;
    requires me.tongfei.progressbar;
    requires tools.jackson.databind;

    exports io.fairlead.cli.command;

    opens io.fairlead.cli to
            info.picocli;
    opens io.fairlead.cli.cache to
            info.picocli,
            tools.jackson.databind;
    opens io.fairlead.cli.check to
            info.picocli,
            tools.jackson.databind;
    opens io.fairlead.cli.command to
            info.picocli;
    opens io.fairlead.cli.demo to
            info.picocli,
            tools.jackson.databind;
    opens io.fairlead.cli.doctor to
            info.picocli,
            tools.jackson.databind;
    opens io.fairlead.cli.keys to
            info.picocli;
    opens io.fairlead.cli.measure to
            tools.jackson.databind;
    opens io.fairlead.cli.perf to
            info.picocli;
    opens io.fairlead.cli.pubsub to
            info.picocli;
    opens io.fairlead.cli.roce to
            info.picocli;
    opens io.fairlead.cli.soak to
            info.picocli,
            tools.jackson.databind;
    opens io.fairlead.cli.top to
            info.picocli,
            tools.jackson.databind;
    opens io.fairlead.cli.train to
            info.picocli,
            tools.jackson.databind;

    uses io.fairlead.cli.command.SubcommandProvider;

    provides ch.qos.logback.classic.spi.Configurator with
            io.fairlead.cli.log.LogSetup;
}
