package io.fairlead.netty;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.IdleStrategy;
import io.fairlead.WorkerTask;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.CloseSteps;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries the channels of one event loop over a {@link io.fairlead.Worker} of its own, which is opened and closed on the loop's thread. Belongs to that thread,
 * except for {@link #wakeup()} and {@link #isCompatible}.
 *
 * <p>An application makes event loops with a factory. Groups whose channels belong together share one factory and so one context, such as the parent and
 * the child group of a server.
 *
 * {@snippet :
 * IoHandlerFactory fairlead = FairleadIoHandler.newFactory(context);
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(4, fairlead);
 * new Bootstrap().group(group).channel(FairleadSocketChannel.class);
 * }
 *
 * <p>A loop without work follows {@code idle.strategy}. By default it polls again at once, then yields for a moment, which gives a low latency, and then
 * blocks without using the processor.
 */
public final class FairleadIoHandler implements IoHandler {
    /** How many idle turns a loop takes at most before it returns to Netty. */
    private static final int IDLE_ROUNDS = 256;

    /**
     * The default is one idle turn before the loop yields, as in a node. A turn over TCP is a system call, and if two loops share a processor, each turn keeps
     * the other from answering.
     */
    private static final int SPINS = 1;

    private static final int YIELDS = 127;

    /** The longest wait of a loop while channels wait for capacity. */
    private static final long BLOCKED_WAIT_NS = 10_000_000;

    private final ContextSource source;
    private final IdleStrategy idle;
    private final Set<Registration> registrations = new LinkedHashSet<>();
    /** The loop is blocked, or is about to block. */
    private final AtomicBoolean waiting = new AtomicBoolean();

    private @Nullable LoopWorker loop;
    /** Why the worker could not be opened. */
    private @Nullable RuntimeException failure;

    private @Nullable IoHandlerContext running;
    private boolean destroyed;

    private FairleadIoHandler(ContextSource source, IdleStrategy idle) {
        this.source = source;
        this.idle = idle;
    }

    /**
     * Makes event loops on a context of the caller. The context stays open when the loops have ended. The caller can close it when the
     * {@code terminationFuture()} of each group is done.
     *
     * @param context an open context
     * @return a factory for any number of groups, thread-safe
     */
    public static IoHandlerFactory newFactory(Context context) {
        Objects.requireNonNull(context, "context");
        return newFactory(context, () -> idle(context.config()));
    }

    /**
     * Makes event loops on a context and with an idle strategy of the caller. {@code () -> IdleStrategy.backOff(1_000, 100)} suits loops with processors of
     * their own. Otherwise as {@link #newFactory(Context)}.
     *
     * @param context an open context
     * @param idle supplies a strategy of its own to each loop
     * @return a factory for any number of groups, thread-safe
     */
    public static IoHandlerFactory newFactory(Context context, Supplier<IdleStrategy> idle) {
        Objects.requireNonNull(context, "context");
        Objects.requireNonNull(idle, "idle");
        ContextSource source = ContextSource.of(context);
        return _ -> new FairleadIoHandler(
                source.taken(), Objects.requireNonNull(idle.get(), "idle gives no IdleStrategy: it returned null"));
    }

    /**
     * Makes event loops on a context of their own, which is opened with the first loop and closed after the last. All groups that are made with one factory
     * share it.
     *
     * @param config the configuration of the context
     * @return a factory for any number of groups, thread-safe. Making a group throws a {@link io.fairlead.FairleadException} if the context does not open
     */
    public static IoHandlerFactory newFactory(FairleadConfig config) {
        Objects.requireNonNull(config, "config");
        ContextSource source = ContextSource.opening(config);
        return _ -> new FairleadIoHandler(source.taken(), idle(config));
    }

    private static IdleStrategy idle(FairleadConfig config) {
        String name = config.value(ConfigKeys.IDLE_STRATEGY);
        return name.equals("backoff") ? IdleStrategy.backOff(SPINS, YIELDS) : IdleStrategy.named(name);
    }

    @Override
    public void initialize() {
        LoopWorker made;
        try {
            made = new LoopWorker(source.context().newWorker());
        } catch (RuntimeException refused) {
            failure = refused;
            throw refused;
        }
        made.worker().attach(new Deadline());
        loop = made;
    }

    @Override
    public int run(IoHandlerContext context) {
        LoopWorker current = loop();
        running = context;
        boolean timed = context.shouldReportActiveIoTime();
        long startedNs = timed ? System.nanoTime() : 0;
        int events = current.turn();
        if (timed && events > 0) {
            context.reportActiveIoTime(System.nanoTime() - startedNs);
        }
        if (events > 0) {
            idle.idle(current.worker(), events);
            return events;
        }
        return idle(context, current);
    }

    /** Idles by the idle strategy, until channels or Netty have work. */
    private int idle(IoHandlerContext context, LoopWorker current) {
        int events = 0;
        for (int round = 0; round < IDLE_ROUNDS && events == 0; round++) {
            // Set before Netty's tasks are checked, so that a thread that adds a task afterwards wakes the loop.
            waiting.set(true);
            try {
                if (!context.canBlock() || current.hasWork()) {
                    break;
                }
                idle.idle(current.worker(), 0);
            } finally {
                waiting.set(false);
            }
            events = current.turn();
        }
        return events;
    }

    @Override
    public void prepareToDestroy() {
        loop().beginShutdown();
        closeChannels();
    }

    private void closeChannels() {
        CloseSteps.runEach(List.copyOf(registrations), registration -> registration.handle.closeNow());
    }

    @Override
    public void destroy() {
        if (destroyed) {
            return;
        }
        destroyed = true;
        LoopWorker ended = loop;
        if (ended == null) {
            source.giveBack();
            return;
        }
        // prepareToDestroy has normally closed all channels before.
        CloseSteps.runAll(ended::beginShutdown, this::closeChannels, ended::close, source::giveBack);
    }

    @Override
    public IoRegistration register(IoHandle handle) {
        if (!(handle instanceof FairleadHandle own)) {
            throw new IllegalArgumentException("not a channel of Fairlead: handle="
                    + handle.getClass().getName()
                    + "; event loops of FairleadIoHandler carry FairleadSocketChannel and FairleadServerSocketChannel");
        }
        Registration registration = new Registration(own);
        registrations.add(registration);
        own.registered();
        return registration;
    }

    /** Wakes the loop if it blocks. On any thread. */
    @Override
    public void wakeup() {
        LoopWorker current = loop;
        if (waiting.get() && current != null) {
            current.worker().wakeup();
        }
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return FairleadHandle.class.isAssignableFrom(handleType);
    }

    private LoopWorker loop() {
        LoopWorker current = loop;
        if (current == null) {
            throw new IllegalStateException(
                    "the event loop has no worker: "
                            + (failure == null ? "it has not been initialised" : failure.getMessage()),
                    failure);
        }
        return current;
    }

    /** Bounds the waits of the worker, so that Netty's scheduled tasks run in time with every idle strategy. */
    private final class Deadline implements WorkerTask {
        @Override
        public int run() {
            return 0;
        }

        @Override
        public long maxWaitNs() {
            IoHandlerContext context = running;
            if (context == null || !context.canBlock()) {
                return 0;
            }
            long delayNs = context.delayNanos(System.nanoTime());
            return loop().hasBlocked() ? Math.min(delayNs, BLOCKED_WAIT_NS) : delayNs;
        }
    }

    /** A channel of this loop. */
    private final class Registration implements IoRegistration {
        private final FairleadHandle handle;

        Registration(FairleadHandle handle) {
            this.handle = handle;
        }

        // Only the channel knows the attachment's type, and has to ask for the right one.
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        @Override
        public <T> T attachment() {
            return (T) loop();
        }

        @Override
        public long submit(IoOps ops) {
            throw new UnsupportedOperationException("channels of Fairlead have no operations to submit");
        }

        @Override
        public boolean isValid() {
            return registrations.contains(this);
        }

        @Override
        public boolean cancel() {
            if (!registrations.remove(this)) {
                return false;
            }
            handle.unregistered();
            return true;
        }
    }

    /** A channel from the point of view of its event loop. */
    interface FairleadHandle extends IoHandle {
        @Override
        default void handle(IoRegistration registration, IoEvent event) {
            throw new UnsupportedOperationException("channels of Fairlead are called by their worker's completions");
        }

        /** Closes the channel without waiting for its sends, because its event loop ends. */
        void closeNow();

        @Override
        default void close() {
            closeNow();
        }
    }
}
