package io.fairlead.node.internal;

import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.Listener;
import io.fairlead.MessageInfo;
import io.fairlead.PathPolicy;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.WorkerTask;
import io.fairlead.spi.LayerHandler;
import io.fairlead.statistics.Counters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A worker that does what a test has queued for its next progress. */
final class FakeWorker implements Worker {
    /** Runs in progress, on the loop's thread. */
    final Queue<Runnable> script = new ConcurrentLinkedQueue<>();

    final AtomicInteger wakeups = new AtomicInteger();
    /** While positive, receives of claimed messages find no room. */
    final AtomicInteger claimedWithoutRoom = new AtomicInteger();

    final FakeEndpoint endpoint = new FakeEndpoint(this);
    /** Tags of claimed messages that were given up, by a receive without room. */
    final Queue<Long> discarded = new ConcurrentLinkedQueue<>();

    /** Progress returns this where the script had nothing. */
    volatile int events;

    private final FakeContext context;
    private final Semaphore wake = new Semaphore(0);
    private final Queue<FakeMessage> messages = new ConcurrentLinkedQueue<>();
    private final List<Runnable> completions = new ArrayList<>();
    private long nextId = 1;

    /** A message that has arrived: its tag and its text, or without one, lost. */
    record FakeMessage(long tag, long value, boolean lost) {}

    FakeWorker(FakeContext context) {
        this.context = context;
    }

    /** Lets a message of 8 bytes arrive in the next progress. */
    void arrive(long tag, long value) {
        arrive(new FakeMessage(tag, value, false));
    }

    void arrive(FakeMessage message) {
        script.add(() -> messages.add(message));
        wake.release();
    }

    void run(Runnable action) {
        script.add(action);
        wake.release();
    }

    /** Completes an operation in the next progress. */
    long complete(Completion completion, Status status, long length) {
        long id = nextId++;
        completions.add(() -> completion.completed(new FakeRequest(id, status, length)));
        return id;
    }

    private record FakeRequest(long id, Status status, long length) implements Request {
        @Override
        public long tag() {
            return 0;
        }

        @Override
        public Optional<Endpoint> source() {
            return Optional.empty();
        }

        @Override
        public long value() {
            return 0;
        }

        @Override
        public long userData() {
            return 0;
        }
    }

    @Override
    public int progress() {
        int count = events;
        for (Runnable action = script.poll(); action != null; action = script.poll()) {
            action.run();
            count++;
        }
        List<Runnable> ended = List.copyOf(completions);
        completions.clear();
        ended.forEach(Runnable::run);
        return count + ended.size();
    }

    @Override
    public void await(long timeoutNs) {
        try {
            if (wake.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS)) {
                wake.drainPermits();
            }
        } catch (InterruptedException interrupted) {
            throw new AssertionError("the loop's thread was interrupted outside of a callback", interrupted);
        }
    }

    @Override
    public boolean isInsideProgress() {
        return false;
    }

    @Override
    public void attach(WorkerTask task) {
        throw new UnsupportedOperationException("attach");
    }

    @Override
    public void detach(WorkerTask task) {
        throw new UnsupportedOperationException("detach");
    }

    @Override
    public void wakeup() {
        wakeups.incrementAndGet();
        wake.release();
    }

    @Override
    public Listener listen(InetSocketAddress address, EndpointHandler handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Endpoint connect(InetSocketAddress address, EndpointHandler handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Endpoint connect(InetSocketAddress address, PathPolicy policy, EndpointHandler handler) {
        endpoint.handler = handler;
        script.add(() -> ((LayerHandler) handler).connected(endpoint, 0));
        return endpoint;
    }

    @Override
    public long receive(
            MemorySegment buffer, long offset, long length, long tag, long mask, Completion completion, long data) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean probe(long tag, long tagMask, MessageInfo info) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean claim(long tag, long tagMask, MessageInfo info) {
        FakeMessage message = messages.poll();
        if (message == null) {
            return false;
        }
        ((FakeInfo) info).message = message;
        return true;
    }

    @Override
    public long receiveClaimed(
            MessageInfo info, MemorySegment buffer, long offset, long length, Completion completion, long userData) {
        if (claimedWithoutRoom.get() > 0) {
            claimedWithoutRoom.decrementAndGet();
            return Endpoint.BACK_PRESSURE;
        }
        FakeMessage message = ((FakeInfo) info).message;
        if (message == null) {
            throw new IllegalArgumentException("nothing is claimed");
        }
        ((FakeInfo) info).message = null;
        if (message.lost) {
            return Endpoint.PEER_FAILED;
        }
        if (length < 8) {
            discarded.add(message.tag);
            return complete(completion, Status.TRUNCATED, 8);
        }
        buffer.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, message.value);
        return complete(completion, Status.OK, 8);
    }

    @Override
    public boolean cancel(long request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MessageInfo newMessageInfo() {
        return new FakeInfo();
    }

    /** What a claim fills. */
    final class FakeInfo implements MessageInfo {
        private FakeMessage message;

        @Override
        public Optional<Endpoint> source() {
            return Optional.of(endpoint);
        }

        @Override
        public long tag() {
            return message.tag;
        }

        @Override
        public long length() {
            return 8;
        }

        @Override
        public boolean claimed() {
            return message != null;
        }
    }

    @Override
    public Counters counters() {
        return _ -> 0;
    }

    @Override
    public Context context() {
        return context;
    }

    @Override
    public void close() {
        progress();
    }
}
