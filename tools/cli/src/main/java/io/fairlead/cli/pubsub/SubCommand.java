package io.fairlead.cli.pubsub;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.IdleStrategy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Worker;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.cli.command.Range;
import io.fairlead.cli.command.Seconds;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.config.ConfigKeys;
import io.fairlead.pubsub.StartAt;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.SubscriptionOptions;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes the messages of a topic until its publisher ends. */
@Command(
        name = "sub",
        description =
                "Subscribe to a topic and write its messages. Ends with status 0 when the publisher disconnects, and"
                        + " with status 1 when it is lost.")
public final class SubCommand implements Callable<Integer> {
    /** Nobody waits for half a minute to learn that a name is wrong. */
    private static final Duration TOPIC_TIMEOUT = Duration.ofSeconds(5);

    @Parameters(paramLabel = "TOPIC", description = "Name of the topic.")
    private String topicName = "";

    @Option(
            names = {"-C", "--connect"},
            paramLabel = "HOST:PORT",
            defaultValue = Address.DEFAULT,
            description = "Where the publisher listens (default: ${DEFAULT-VALUE}).")
    private Address connect = Address.parse(Address.DEFAULT);

    @ArgGroup
    private Output output = new Output();

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "End after N messages, 1 and up (default: none).")
    private Optional<Long> count = Optional.empty();

    @Option(
            names = "--timeout",
            converter = Seconds.class,
            paramLabel = "SECONDS",
            description = "Fail when no message has come for that long.")
    private double timeout;

    @Option(
            names = "--wait",
            converter = Seconds.class,
            paramLabel = "SECONDS",
            description = "Go on trying to connect for that long where nothing listens yet.")
    private double wait;

    @Option(
            names = "--from",
            paramLabel = "START",
            defaultValue = "next",
            description = "Where to start: next, or snapshot if the publisher keeps one (default: ${DEFAULT-VALUE}).")
    private StartAt from = StartAt.NEXT;

    @Option(names = "--reconnect", description = "Connect again when the publisher ends or is lost, until stopped.")
    private boolean reconnect;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    /** How to write. */
    static final class Output {
        @Option(
                names = "--binary",
                description = "Write each message after its length (4 bytes, most significant first), not as a line.")
        private boolean binary;

        @Option(
                names = "--into",
                paramLabel = "FOLDER",
                description = "Write each message, published with --files, as a file in this folder.")
        private Optional<Path> folder = Optional.empty();
    }

    @Override
    public Integer call() throws Exception {
        if (count.isPresent()) {
            Range.atLeast("--count", (double) count.get(), 1);
        }
        MessageWriter writer = openOutput();
        FairleadConfig settings = config.load();
        try (StopSignal stop = StopSignal.install();
                Context context = Context.open(settings);
                MetricsPort _ = MetricsPort.open(context);
                Worker worker = context.newWorker();
                Subscriber subscriber = Subscriber.connect(worker, connect.resolve(), options())) {
            stop.onRequest(worker::wakeup);
            OutputThread written = OutputThread.start(writer, worker::wakeup);
            IdleStrategy idle = IdleStrategy.named(settings.value(ConfigKeys.IDLE_STRATEGY));
            SubscribeLoop loop = new SubscribeLoop(written, limits());
            subscribe(subscriber, loop);
            loop.run(worker, subscriber, idle, stop);
            written.finish();
            written.writable();
            return 0;
        }
    }

    private SubscribeLoop.Limits limits() {
        return new SubscribeLoop.Limits(connect, topicName, count.orElse(0L), reconnect, wait, timeout);
    }

    /** Without a wait the first attempt decides; otherwise the loop watches the time. */
    private SubscriberOptions options() {
        return SubscriberOptions.defaults()
                .withReconnect(ReconnectPolicy.always(Duration.ofMillis(20), Duration.ofMillis(500))
                        .attemptsAtMost(wait > 0 || reconnect ? Integer.MAX_VALUE : 1));
    }

    private void subscribe(Subscriber subscriber, SubscribeLoop loop) {
        try {
            SubscriptionOptions options =
                    SubscriptionOptions.defaults().withStartAt(from).withTopicTimeout(TOPIC_TIMEOUT);
            subscriber.subscribe(topicName, options, loop, loop);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(e.getMessage() + "; choose another TOPIC");
        }
    }

    private MessageWriter openOutput() {
        if (output.folder.isPresent()) {
            Path folder = output.folder.get();
            if (!Files.isDirectory(folder)) {
                throw CommandFailure.failed("no such folder: " + folder + "; make it, or name another with --into");
            }
            return MessageWriter.files(folder);
        }
        // Not System.out, which keeps quiet about a reader that has gone.
        FileOutputStream stdout = new FileOutputStream(FileDescriptor.out);
        return output.binary ? MessageWriter.binary(stdout) : MessageWriter.lines(stdout);
    }
}
