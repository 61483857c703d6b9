package io.fairlead.benchmarks;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Messages of one size, one after the other, the last of which is answered; one side of it, by a thread that spins. */
final class MessageStream implements AutoCloseable, Completion {
    private static final long TAG = 2;
    private static final long END_TAG = 3;

    private final Arena arena = Arena.ofConfined();
    private final Worker worker;
    private final Endpoint endpoint;
    private final MemorySegment[] buffers;
    private final MemorySegment nothing = arena.allocate(1);
    private int pending;
    private Status status = Status.OK;

    MessageStream(Worker worker, Endpoint endpoint, int size, int window) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.buffers = new MemorySegment[window];
        for (int i = 0; i < window; i++) {
            buffers[i] = arena.allocate(size, 64);
        }
    }

    /** Sends, and returns when the other side has everything. */
    void lead(int count) {
        for (int i = 0; i < count; i++) {
            mark(i);
            send(buffers[i % buffers.length], TAG);
            drain(buffers.length - 1);
        }
        receive(nothing, END_TAG);
        drain(0);
    }

    /** Receives. */
    void follow(int count) {
        for (int i = 0; i < count; i++) {
            check(i - buffers.length);
            receive(buffers[i % buffers.length], TAG);
            drain(buffers.length - 1);
        }
        drain(0);
        for (int i = count - buffers.length; i < count; i++) {
            check(i);
        }
        send(nothing, END_TAG);
        drain(0);
    }

    /** Every message begins and ends with its number. */
    private void mark(int number) {
        MemorySegment message = buffers[number % buffers.length];
        message.set(ValueLayout.JAVA_BYTE, 0, (byte) number);
        message.set(ValueLayout.JAVA_BYTE, message.byteSize() - 1, (byte) number);
    }

    private void check(int number) {
        if (number < 0) {
            return;
        }
        MemorySegment message = buffers[number % buffers.length];
        byte first = message.get(ValueLayout.JAVA_BYTE, 0);
        byte last = message.get(ValueLayout.JAVA_BYTE, message.byteSize() - 1);
        if (first != (byte) number || last != (byte) number) {
            throw new IllegalStateException(
                    "another message than was sent: number=" + number + ", first=" + first + ", last=" + last);
        }
    }

    private void send(MemorySegment message, long tag) {
        pending++;
        while (endpoint.send(message, tag, this) < 0) {
            if (endpoint.failure().isPresent()) {
                throw endpoint.failure().get();
            }
            worker.progress();
        }
    }

    private void receive(MemorySegment buffer, long tag) {
        pending++;
        long posted = endpoint.receive(buffer, tag, this);
        if (posted < 0) {
            throw new IllegalStateException("a receive was not taken: " + Status.of(posted));
        }
    }

    private void drain(int most) {
        while (pending > most) {
            worker.progress();
        }
        if (status != Status.OK) {
            throw endpoint.failure().orElseThrow(() -> new IllegalStateException("an operation ended " + status));
        }
    }

    @Override
    public void completed(Request request) {
        pending--;
        if (request.status() != Status.OK) {
            status = request.status();
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
