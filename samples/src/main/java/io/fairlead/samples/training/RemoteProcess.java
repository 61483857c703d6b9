package io.fairlead.samples.training;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.Path;
import io.fairlead.Request;
import io.fairlead.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Another process of the run, at the other end of an endpoint. It shows how operations that end later are waited for in a program of one
 * thread: {@link #run} posts one and makes progress until it has completed. One thread, the worker's.
 */
final class RemoteProcess implements EndpointHandler {
    private final TrainingLoop loop;
    private final String name;
    private final int rank;
    private final LongConsumer signals;
    private final Arena arena;
    private final MemorySegment incoming;
    private final MemorySegment outgoing;
    private final Outcome outcome = new Outcome();
    private @Nullable Endpoint endpoint;
    private boolean reached;
    private boolean mayEnd;

    private RemoteProcess(TrainingLoop loop, Arena arena, String name, int rank, LongConsumer signals) {
        this.loop = loop;
        this.name = name;
        this.rank = rank;
        this.signals = signals;
        this.arena = arena;
        incoming = arena.allocate(TrainingMessage.LENGTH_MAX, Long.BYTES);
        outgoing = arena.allocate(TrainingMessage.LENGTH_MAX, Long.BYTES);
    }

    /** Who brings the workers together. */
    static RemoteProcess coordinator(TrainingLoop loop, Arena arena) {
        return new RemoteProcess(loop, arena, "the coordinator", TrainingException.NOBODY, signal -> {});
    }

    /** A worker of that rank, whose signals go to a consumer. */
    static RemoteProcess worker(TrainingLoop loop, Arena arena, int rank, LongConsumer signals) {
        return new RemoteProcess(loop, arena, "worker " + rank, rank, signals);
    }

    /** Takes over an endpoint that this side has begun to connect, and waits until it is connected. */
    void await(Endpoint connecting) {
        endpoint = connecting;
        awaitConnected();
    }

    /** Waits until there is a connection, which the other side may have to begin. */
    void awaitConnected() {
        loop.until(this::isConnected);
    }

    /** The endpoint, once there is one. */
    Endpoint endpoint() {
        return Objects.requireNonNull(endpoint, "not connected");
    }

    /** The way to it; empty where there never was a connection. */
    Optional<Path> path() {
        return endpoint == null ? Optional.empty() : endpoint.path();
    }

    /** Whether there is a connection that has not ended. */
    boolean isConnected() {
        return endpoint != null && endpoint.state() == EndpointState.CONNECTED;
    }

    /** From now on its end is no failure. */
    void letEnd() {
        mayEnd = true;
    }

    /** Sends a message, and returns when it is on its way. */
    void send(long tag, byte[] message) {
        MemorySegment.copy(message, 0, outgoing, ValueLayout.JAVA_BYTE, 0, message.length);
        run(completion -> endpoint().send(outgoing, 0, message.length, tag, completion, 0));
    }

    /** Sends a message without waiting for anything, for a worker that has failed: it may be in the middle of another operation. */
    void trySend(long tag, byte[] message) {
        MemorySegment copy = arena.allocateFrom(ValueLayout.JAVA_BYTE, message);
        long _ = endpoint().send(copy, tag, Completion.IGNORE);
    }

    /** Waits for the next message with that tag. */
    byte[] receive(long tag) {
        long length = run(completion -> endpoint().receive(incoming, tag, completion));
        return incoming.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /**
     * Posts an operation on the endpoint and makes progress until it has completed. An operation that is refused with back-pressure is posted
     * again after a turn of progress, which frees capacity.
     *
     * @param posting posts the operation with the completion that it is given
     * @return the length of the message or transfer
     * @throws TrainingException if the operation could not be done
     */
    long run(ToLongFunction<Completion> posting) {
        outcome.status = null;
        long posted = posting.applyAsLong(outcome);
        while (posted == Endpoint.BACK_PRESSURE) {
            loop.turn();
            posted = posting.applyAsLong(outcome);
        }
        if (posted < 0) {
            throw lost(Status.of(posted).toString());
        }
        loop.until(() -> outcome.status != null);
        if (outcome.status != Status.OK) {
            throw lost(String.valueOf(outcome.status));
        }
        return outcome.length;
    }

    private TrainingException lost(String observed) {
        String cause = endpoint().failure().map(FairleadException::getMessage).orElse(observed);
        if (reached) {
            return TrainingException.ofWorker(rank, name + " was lost: " + cause);
        }
        String message = name + " cannot be reached: " + cause;
        return rank == TrainingException.NOBODY
                ? TrainingException.ofUnreachable(message)
                : TrainingException.of(message);
    }

    @Override
    public void connected(Endpoint connected) {
        if (endpoint != null && !endpoint.equals(connected)) {
            // The worker is connected already, so this is no worker of this run.
            connected.startClose();
            return;
        }
        endpoint = connected;
        reached = true;
    }

    @Override
    public void signalled(Endpoint from, long value) {
        if (from.equals(endpoint)) {
            signals.accept(value);
        }
    }

    @Override
    public void closed(Endpoint ended) {
        if (ended.equals(endpoint) && !mayEnd) {
            loop.fail(lost("it has closed its endpoint"));
        }
    }

    @Override
    public void failed(Endpoint ended, FairleadException cause) {
        if (ended.equals(endpoint) && !mayEnd) {
            loop.fail(lost(String.valueOf(cause.getMessage())));
        }
    }

    /** How the one operation ended that is waited for. */
    private static final class Outcome implements Completion {
        private @Nullable Status status;
        private long length;

        @Override
        public void completed(Request request) {
            status = request.status();
            length = request.length();
        }
    }
}
