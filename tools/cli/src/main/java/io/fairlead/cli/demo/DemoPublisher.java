package io.fairlead.cli.demo;

import io.fairlead.Context;
import io.fairlead.Worker;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.PublisherOptions;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The demo's publisher process. */
@Command(name = "demo-publisher", hidden = true, description = "The publisher process of the demo.")
public final class DemoPublisher implements Callable<Integer> {
    private static final int SUBSCRIBERS = 3;

    @Option(names = "--host", defaultValue = "127.0.0.1")
    private String host = "127.0.0.1";

    @Option(names = "--port", required = true)
    private int port;

    @Option(names = "--rate", required = true)
    private double rate;

    @Option(names = "--seconds", required = true)
    private double seconds;

    /** Whether to go on serving metrics at the end, until asked to end. */
    @Option(names = "--linger")
    private boolean linger;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() throws InterruptedException {
        try (StopSignal stop = StopSignal.install();
                Context context = Context.open(config.load());
                MetricsPort _ = MetricsPort.open(context)) {
            // Reported after the close, which sends subscribers the remaining messages.
            DemoEvent.tell(new DemoEvent.Published(publish(context, stop)));
            if (linger) {
                stop.onRequest(() -> {});
                stop.await();
            }
        }
        return 0;
    }

    private long publish(Context context, StopSignal stop) {
        try (Worker worker = context.newWorker();
                Publisher publisher = Publisher.listen(
                        worker,
                        new Address(host, port).resolve(),
                        PublisherOptions.defaults().withDrainTimeout(Duration.ofSeconds(2)))) {
            stop.onRequest(worker::wakeup);
            Feed feed = new Feed(worker, publisher, stop, rate);
            DemoEvent.tell(new DemoEvent.Listening(publisher.address().getPort()));
            feed.awaitSubscribers(SUBSCRIBERS);
            return feed.publish(seconds);
        }
    }
}
