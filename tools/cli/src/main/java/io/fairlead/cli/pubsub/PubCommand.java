package io.fairlead.cli.pubsub;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.IdleStrategy;
import io.fairlead.Worker;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.cli.command.Range;
import io.fairlead.cli.command.Rate;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.config.ConfigKeys;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.SlowPolicy;
import io.fairlead.pubsub.SnapshotOptions;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Publishes an input, message by message, to whoever has subscribed. */
@Command(name = "pub", description = "Publish the lines of an input, or whole files, on a topic.")
public final class PubCommand implements Callable<Integer> {
    private static final int MESSAGE_MAX = 1 << 20;
    private static final long FILE_MAX = 64 << 20;
    private static final int SNAPSHOT_VALUE_MAX = 4 << 10;
    private static final int READ_BYTES = 64 << 10;

    @Parameters(paramLabel = "TOPIC", description = "Name of the topic.")
    private String topicName = "";

    @Option(
            names = {"-l", "--listen"},
            paramLabel = "HOST:PORT",
            defaultValue = Address.DEFAULT,
            description = "Where to listen (default: ${DEFAULT-VALUE}; port 0 takes a free one).")
    private Address listen = Address.parse(Address.DEFAULT);

    @ArgGroup
    private Input input = new Input();

    @Option(
            names = "--rate",
            converter = Rate.class,
            paramLabel = "N",
            description = "Messages per second; 0 for as many as can be (default: 0).")
    private double rate;

    @Option(
            names = {"-w", "--wait-subscribers"},
            paramLabel = "N",
            defaultValue = "1",
            description = "Publish nothing before there are N subscribers (default: ${DEFAULT-VALUE}).")
    private int subscribersMin;

    @Option(
            names = "--slow",
            paramLabel = "POLICY",
            defaultValue = "block",
            converter = SlowPolicyWords.class,
            description = "What to do about a slow subscriber: block, drop-oldest or disconnect"
                    + " (default: ${DEFAULT-VALUE}).")
    private SlowPolicy slowPolicy = SlowPolicy.BLOCK;

    @Option(
            names = "--snapshot",
            paramLabel = "N",
            description = "Keep the last N messages for subscribers that come with --from snapshot.")
    private int snapshot;

    @Option(names = "--stay", description = "Go on listening after the end of the input, until stopped.")
    private boolean stay;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    /** The policies as options are written, with a dash. */
    static final class SlowPolicyWords implements ITypeConverter<SlowPolicy> {
        @Override
        public SlowPolicy convert(String text) {
            try {
                return SlowPolicy.valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("unknown policy '" + text + "', block, drop-oldest or disconnect");
            }
        }
    }

    /** What to publish. */
    static final class Input {
        @Option(
                names = {"-f", "--file"},
                paramLabel = "FILE",
                description = "Publish the lines of this file (default: those of stdin).")
        private Optional<Path> file = Optional.empty();

        @Option(
                names = "--binary",
                description = "Publish the messages of stdin, each of which follows its length (4 bytes, most"
                        + " significant first).")
        private boolean binary;

        @Option(
                names = "--files",
                arity = "1..*",
                paramLabel = "FILE",
                description = "Publish each of these files as one message with its name.")
        private List<Path> files = List.of();
    }

    @Override
    public Integer call() throws Exception {
        Range.atLeast("--wait-subscribers", subscribersMin, 0);
        TopicOptions options = topicOptions();
        MessageReader reader = openInput();
        FairleadConfig settings = config.load();
        try (StopSignal stop = StopSignal.install();
                Context context = Context.open(settings);
                MetricsPort _ = MetricsPort.open(context);
                Worker worker = context.newWorker();
                Publisher publisher = Publisher.listen(worker, listen.resolve())) {
            Topic topic = openTopic(publisher, options);
            stop.onRequest(worker::wakeup);
            IdleStrategy idle = IdleStrategy.named(settings.value(ConfigKeys.IDLE_STRATEGY));
            PublishLoop loop = new PublishLoop(worker, publisher, topic, idle, stop);
            tell("topic " + topicName + " at " + Address.of(publisher.address()) + ", waiting for subscribers: "
                    + subscribersMin);
            if (!loop.awaitSubscribers(subscribersMin)) {
                tell("stopped while it waited for subscribers: " + topic.subscriberCount() + " of " + subscribersMin);
                return 0;
            }
            tell("publishing, subscribers: " + topic.subscriberCount());
            loop.publish(InputThread.start(reader, worker::wakeup), rate);
            tell((stop.requested() ? "stopped before the end of the input" : "end of the input") + ", messages: "
                    + topic.sequence());
            loop.drain(stay);
            if (!publisher.drained()) {
                tell("stopped before all messages had left for the subscribers");
            }
            return 0;
        }
    }

    private Topic openTopic(Publisher publisher, TopicOptions options) {
        try {
            return publisher.topic(topicName, options);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(e.getMessage() + "; choose another TOPIC");
        }
    }

    private TopicOptions topicOptions() throws IOException {
        TopicOptions options = TopicOptions.defaults().withSlowPolicy(slowPolicy);
        long longest = MESSAGE_MAX;
        for (Path file : input.files) {
            long size = Files.size(readable(file));
            if (size > FILE_MAX) {
                throw CommandFailure.failed("file too large for one message: " + file + ", length=" + size + ", limit "
                        + FILE_MAX + " bytes; split it");
            }
            longest = Math.max(longest, size + NamedFile.OVERHEAD);
        }
        options = options.withMessageMax(longest);
        if (snapshot == 0) {
            return options;
        }
        try {
            return options.withSnapshot(SnapshotOptions.lastMessages(snapshot, SNAPSHOT_VALUE_MAX));
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(e.getMessage() + "; change --snapshot");
        }
    }

    private MessageReader openInput() throws IOException {
        if (!input.files.isEmpty()) {
            return MessageReader.files(input.files);
        }
        InputStream bytes = input.file.isPresent() ? Files.newInputStream(readable(input.file.get())) : System.in;
        BufferedInputStream buffered = new BufferedInputStream(bytes, READ_BYTES);
        return input.binary ? MessageReader.binary(buffered, MESSAGE_MAX) : MessageReader.lines(buffered, MESSAGE_MAX);
    }

    /** Opening a folder succeeds and reading it fails later, with a message that does not name it. */
    private static Path readable(Path file) {
        if (!Files.exists(file)) {
            throw CommandFailure.failed("no such file: " + file + "; check the path");
        }
        if (Files.isDirectory(file)) {
            throw CommandFailure.failed("not a file but a folder: " + file + "; name the files in it with --files");
        }
        if (!Files.isReadable(file)) {
            throw CommandFailure.failed("file cannot be read: " + file + "; check its permissions");
        }
        return file;
    }

    private static void tell(String line) {
        System.err.println("fairlead: " + line);
    }
}
