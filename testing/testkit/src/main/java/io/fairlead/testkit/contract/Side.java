package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.Listener;
import io.fairlead.PathPolicy;
import io.fairlead.Worker;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One party of a case: a context with one worker, or another worker of it, the worker's listener, and the recorders of its completions and events. It stands for a process. Belongs to the
 * thread that opened it.
 */
public final class Side implements AutoCloseable {
    /** The last endpoints and events, of which a failure names so many. */
    private static final int SHOWN = 8;

    private final String name;
    private final Context context;
    private final Worker worker;
    private final Recorder recorder;
    private final Events events;
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final Runnable endOfContext;
    /** Drives all sides of the case. */
    private Runnable all = this::progress;

    private @Nullable Listener listener;
    private boolean closed;

    /**
     * Opens a worker of a context on the calling thread. {@link TransportContract#newSide(String)} also drives and closes the side.
     *
     * @param name the side's name
     * @param context its context, which it closes
     */
    public Side(String name, Context context) {
        this(name, context, context::close);
    }

    private Side(String name, Context context, Runnable endOfContext) {
        this.name = name;
        this.context = context;
        this.endOfContext = endOfContext;
        this.recorder = new Recorder(name, Thread.currentThread());
        this.events = new Events(recorder, Thread.currentThread());
        this.worker = context.newWorker();
    }

    /** Another worker of a context that somebody else closes. */
    static Side sharing(String name, Context context) {
        return new Side(name, context, () -> {});
    }

    /**
     * The side's name, which peers see too.
     *
     * @return such as {@code server}
     */
    public String name() {
        return name;
    }

    /**
     * The side's context.
     *
     * @return never changes
     */
    public Context context() {
        return context;
    }

    /**
     * The side's worker.
     *
     * @return never changes
     */
    public Worker worker() {
        return worker;
    }

    /**
     * The recorder of the worker's completions.
     *
     * @return never changes
     */
    public Recorder recorder() {
        return recorder;
    }

    /**
     * The recorder of the calls for the worker's endpoints.
     *
     * @return never changes
     */
    public Events events() {
        return events;
    }

    /**
     * A listener on a free port of 127.0.0.1, made by the first call.
     *
     * @return the listener
     */
    public Listener listener() {
        if (listener == null) {
            listener = worker.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), events);
        }
        return listener;
    }

    /**
     * Starts to connect to another side's listener under the configured policy.
     *
     * @param target the other side
     * @return the endpoint, connecting
     */
    public Endpoint connect(Side target) {
        return added(worker.connect(target.listener().address(), events));
    }

    /**
     * Starts to connect to an address under the configured policy.
     *
     * @param address the address, on which a listener may or may not be
     * @return the endpoint, connecting
     */
    public Endpoint connect(InetSocketAddress address) {
        return added(worker.connect(address, events));
    }

    /**
     * Starts to connect to another side's listener.
     *
     * @param target the other side
     * @param policy the connection's policy
     * @return the endpoint, connecting
     */
    public Endpoint connect(Side target, PathPolicy policy) {
        return added(worker.connect(target.listener().address(), policy, events));
    }

    private Endpoint added(Endpoint endpoint) {
        endpoints.add(endpoint);
        return endpoint;
    }

    /**
     * Posts a receive from any source.
     *
     * @param buffer takes the message, in full length
     * @param tag the tag
     * @param tagMask the mask; a set bit is compared
     * @return the request id
     */
    public long receive(MemorySegment buffer, long tag, long tagMask) {
        return receive(buffer, tag, tagMask, recorder);
    }

    /**
     * Posts a receive from any source with a completion of its own, which must pass the request to the recorder.
     *
     * @param buffer takes the message, in full length
     * @param tag the tag
     * @param tagMask the mask; a set bit is compared
     * @param completion the completion
     * @return the request id
     */
    public long receive(MemorySegment buffer, long tag, long tagMask, Completion completion) {
        return recorder.posted(worker.receive(buffer, 0, buffer.byteSize(), tag, tagMask, completion, 0));
    }

    /**
     * Calls the worker's progress once, and lets the recorder know that completions run inside it. Does nothing on a closed side.
     *
     * @return the result of progress, 0 on a closed side
     */
    public int progress() {
        if (closed) {
            return 0;
        }
        recorder.insideProgress(true);
        try {
            return worker.progress();
        } finally {
            recorder.insideProgress(false);
        }
    }

    /** Whether the worker is open. */
    boolean isOpen() {
        if (closed) {
            return false;
        }
        try {
            worker.newMessageInfo();
            return true;
        } catch (IllegalStateException closedByTheCase) {
            return false;
        }
    }

    /** Belongs to the sides of a case, which a call drives. */
    void belongTo(Runnable driver) {
        all = driver;
    }

    /** Drives all sides of the case. */
    void progressAll() {
        all.run();
    }

    /** Forgets the endpoints that have ended and their events, so that the garbage collector can free them. */
    void forgetEnded() {
        endpoints.removeIf(events::ended);
        events.clear();
    }

    /** Starts to close every endpoint that this side knows of, and returns those. */
    List<Endpoint> startCloses() {
        Set<Endpoint> all = new LinkedHashSet<>(endpoints);
        events.all().forEach(event -> all.add(event.endpoint()));
        if (isOpen()) {
            all.forEach(Endpoint::startClose);
        }
        return List.copyOf(all);
    }

    /** Closes the worker, and the context if it is this side's own. Idempotent. */
    @Override
    public void close() {
        closed = true;
        worker.close();
        endOfContext.run();
    }

    /** Expects, when everything is closed, that each operation has completed once as it should, and each endpoint's end was reported. */
    void assertKeptRules() {
        assertEquals(List.of(), recorder.violations(), () -> "rules broken: " + this);
        assertEquals(0, recorder.outstanding(), () -> "never completed: " + this);
        for (Event event : events.all()) {
            if (!events.ended(event.endpoint())) {
                fail("handler was never told of the endpoint's end: endpoint="
                        + event.endpoint().id() + ", " + this);
            }
        }
        assertEquals(0, worker.counters().value(Counter.OPERATIONS_IN_FLIGHT), "operations in flight: " + this);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(recorder.toString())
                .append("; ")
                .append(endpoints.size())
                .append(" endpoints, the last");
        for (Endpoint endpoint : endpoints.subList(Math.max(0, endpoints.size() - SHOWN), endpoints.size())) {
            text.append(' ').append(endpoint.id()).append('=').append(endpoint.state());
            endpoint.failure()
                    .ifPresent(cause ->
                            text.append(" (").append(cause.getMessage()).append(')'));
        }
        List<Event> all = events.all();
        return text.append("; events ")
                .append(all.subList(Math.max(0, all.size() - SHOWN), all.size()))
                .toString();
    }
}
