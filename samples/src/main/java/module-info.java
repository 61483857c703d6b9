/** The {@code fairlead} command and the applications it starts. */
module io.fairlead.samples {
    requires HdrHistogram;
    requires ch.qos.logback.classic;
    requires ch.qos.logback.core;
    requires com.fasterxml.jackson.annotation;
    requires transitive info.picocli;
    requires transitive io.fairlead;
    requires io.fairlead.metrics;
    requires java.net.http;
    requires static org.jspecify;
    requires org.slf4j;
    requires tools.jackson.databind;

    exports io.fairlead.samples.cli;

    opens io.fairlead.samples.cache to
            info.picocli,
            tools.jackson.databind;
    opens io.fairlead.samples.cli to
            info.picocli;
    opens io.fairlead.samples.demo to
            info.picocli,
            tools.jackson.databind;
    opens io.fairlead.samples.doctor to
            info.picocli,
            tools.jackson.databind;
    opens io.fairlead.samples.pubsub to
            info.picocli;
    opens io.fairlead.samples.roce to
            info.picocli;
    opens io.fairlead.samples.top to
            info.picocli,
            tools.jackson.databind;

    uses io.fairlead.samples.cli.SubcommandProvider;

    provides io.fairlead.samples.cli.SubcommandProvider with
            io.fairlead.samples.SampleCommands;
}
