package io.fairlead.node.internal.engine;

import io.fairlead.ActiveMessageHandler;
import io.fairlead.Completion;
import io.fairlead.ConnectionRequest;
import io.fairlead.ConnectionRequestHandler;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.Listener;
import io.fairlead.MatchHandler;
import io.fairlead.MessageInfo;
import io.fairlead.PathPolicy;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.WorkerTask;
import io.fairlead.spi.LayerHandler;
import io.fairlead.spi.LayerWorker;
import io.fairlead.spi.PrefacedMessage;
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
final class FakeWorker implements LayerWorker {
    /** Runs in progress, on the loop's thread. */
    final Queue<Runnable> script = new ConcurrentLinkedQueue<>();

    final AtomicInteger wakeups = new AtomicInteger();
    /** While positive, receives find no room. */
    final AtomicInteger receivesWithoutRoom = new AtomicInteger();

    final FakeEndpoint endpoint = new FakeEndpoint(this);
    /** Tags of messages that were given up, by a receive without a buffer for them. */
    final Queue<Long> discarded = new ConcurrentLinkedQueue<>();

    /** Progress returns this where the script had nothing. */
    volatile int events;

    private final FakeContext context;
    private final Semaphore wake = new Semaphore(0);
    private final List<FakeMessage> messages = new ArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final List<Runnable> completions = new ArrayList<>();
    private long nextId = 1;
    private boolean closed;

    /** A message of 8 bytes that has arrived. */
    private record FakeMessage(long tag, long value) {}

    /** A receive that no message has matched. */
    private record Waiting(long id, MatchHandler handler, long tag, long mask, Completion completion) {
        boolean fits(FakeMessage message, Endpoint source) {
            return ((message.tag ^ tag) & mask) == 0 && handler.accepts(source);
        }
    }

    FakeWorker(FakeContext context) {
        this.context = context;
    }

    /** Lets a message of 8 bytes arrive in the next progress. */
    void arrive(long tag, long value) {
        script.add(() -> match(new FakeMessage(tag, value)));
        wake.release();
    }

    private void match(FakeMessage message) {
        for (Waiting receive : List.copyOf(waiting)) {
            if (receive.fits(message, endpoint)) {
                waiting.remove(receive);
                if (deliver(message, receive)) {
                    return;
                }
            }
        }
        messages.add(message);
    }

    /** Whether the receive took the message. */
    private boolean deliver(FakeMessage message, Waiting receive) {
        if (!receive.handler.tryMatch(new FakeInfo(message))) {
            complete(receive.completion, receive.id, Status.CANCELLED, 0, 0);
            return false;
        }
        MemorySegment buffer = receive.handler.buffer();
        if (buffer.byteSize() < Long.BYTES) {
            discarded.add(message.tag);
            complete(receive.completion, receive.id, Status.TRUNCATED, message.tag, Long.BYTES);
        } else {
            buffer.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, message.value);
            complete(receive.completion, receive.id, Status.OK, message.tag, Long.BYTES);
        }
        return true;
    }

    void run(Runnable action) {
        script.add(action);
        wake.release();
    }

    /** Completes an operation in the next progress. */
    long complete(Completion completion, Status status, long length) {
        long id = nextId++;
        complete(completion, id, status, 0, length);
        return id;
    }

    private void complete(Completion completion, long id, Status status, long tag, long length) {
        completions.add(() -> completion.completed(new FakeRequest(id, status, tag, length)));
    }

    private record FakeRequest(long id, Status status, long tag, long length) implements Request {
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
        if (closed) {
            throw new IllegalStateException("worker is closed");
        }
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
    public Listener listen(InetSocketAddress address, ConnectionRequestHandler handler) {
        throw new UnsupportedOperationException("no listener");
    }

    @Override
    public Endpoint accept(ConnectionRequest request, EndpointHandler handler) {
        throw new UnsupportedOperationException("no listener");
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
    public void register(int number, ActiveMessageHandler handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void unregister(int number) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean probe(long tag, long tagMask, MessageInfo info) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long receive(MatchHandler handler, long tag, long tagMask, Completion completion, long userData) {
        if (receivesWithoutRoom.get() > 0) {
            receivesWithoutRoom.decrementAndGet();
            return Endpoint.BACK_PRESSURE;
        }
        Waiting receive = new Waiting(nextId++, handler, tag, tagMask, completion);
        for (FakeMessage message : messages) {
            if (receive.fits(message, endpoint)) {
                if (deliver(message, receive)) {
                    messages.remove(message);
                }
                return receive.id;
            }
        }
        waiting.add(receive);
        return receive.id;
    }

    @Override
    public boolean cancel(long request) {
        for (Waiting receive : waiting) {
            if (receive.id == request) {
                waiting.remove(receive);
                complete(receive.completion, request, Status.CANCELLED, 0, 0);
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean claim(long tag, long tagMask, MessageInfo info) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long receiveClaimed(
            MessageInfo info, MemorySegment buffer, long offset, long length, Completion completion, long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MessageInfo newMessageInfo() {
        throw new UnsupportedOperationException();
    }

    /** What a match is told. */
    private final class FakeInfo implements PrefacedMessage {
        private final FakeMessage message;

        private FakeInfo(FakeMessage message) {
            this.message = message;
        }

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
            return Long.BYTES;
        }

        @Override
        public boolean isClaimed() {
            return false;
        }

        @Override
        public Optional<Object> preface() {
            return Optional.empty();
        }
    }

    @Override
    public void registerLayer(int number, ActiveMessageHandler handler) {
        // No message comes.
    }

    @Override
    public void registerLayer(int number, Endpoint endpoint, ActiveMessageHandler handler) {
        // No message comes.
    }

    @Override
    public void unregisterLayer(int number) {
        // No message comes.
    }

    @Override
    public boolean isAccepting() {
        return false;
    }

    @Override
    public void stopAccepting() {
        // Nobody connects.
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
        if (!closed) {
            progress();
            closed = true;
        }
    }
}
