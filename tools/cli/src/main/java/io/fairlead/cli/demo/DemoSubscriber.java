package io.fairlead.cli.demo;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.IdleStrategy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Worker;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.statistics.Counter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A subscriber process of the demo. */
@Command(name = "demo-subscriber", hidden = true, description = "A subscriber process of the demo.")
public final class DemoSubscriber implements Callable<Integer> {
    /** The smallest that holds a few batches, so that a slow subscriber is behind by little. */
    private static final long WINDOW_BYTES = 64 << 10;

    private static final Duration PAUSE = Duration.ofMillis(20);

    @Option(names = "--role", required = true)
    private Role role = Role.FAST;

    @Option(names = "--connect", required = true)
    private Address connect = Address.parse(Address.DEFAULT);

    /** Seconds from the first row on, of whose rows the times say nothing. */
    @Option(names = "--warm-up", defaultValue = "0")
    private double warmUp;

    /** Whether to go on serving metrics at the end, until asked to end. */
    @Option(names = "--linger")
    private boolean linger;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() throws InterruptedException {
        FairleadConfig settings = config.load();
        try (StopSignal stop = StopSignal.install();
                Context context = Context.open(settings);
                MetricsPort _ = MetricsPort.open(context)) {
            subscribe(context, stop).reportEnd();
            if (linger) {
                stop.onRequest(() -> {});
                stop.await();
            }
        }
        return 0;
    }

    private Tally subscribe(Context context, StopSignal stop) {
        SubscriberOptions options = SubscriberOptions.defaults()
                .withName(role.label())
                .withDeliverMax(role.deliverMax())
                .withReconnect(ReconnectPolicy.always(PAUSE, PAUSE).attemptsAtMost(1));
        SubscriptionOptions subscription = SubscriptionOptions.defaults();
        if (role == Role.SLOW) {
            subscription = subscription.withWindowBytes(WINDOW_BYTES);
        }
        try (Worker worker = context.newWorker();
                Subscriber subscriber = Subscriber.connect(worker, connect.resolve(), options)) {
            stop.onRequest(worker::wakeup);
            Tally tally = new Tally((long) (warmUp * TimeUnit.SECONDS.toNanos(1)));
            subscriber.subscribe(role.topic(), subscription, tally, tally);
            IdleStrategy idle = role.idleStrategy();
            long nextTurnNs = System.nanoTime();
            while (!tally.ended() && !stop.requested()) {
                // Rows come in a progress in which the subscriber is not paused.
                if (System.nanoTime() - nextTurnNs >= 0) {
                    subscriber.resume();
                    nextTurnNs = System.nanoTime() + role.intervalNs();
                } else {
                    subscriber.pause();
                }
                int events = worker.progress();
                tally.report(subscriber.path(), worker.counters().value(Counter.FAILOVERS));
                idle.idle(worker, events);
            }
            return tally;
        }
    }
}
