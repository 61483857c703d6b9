package io.fairlead.benchmarks.scale;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/** Answers numbers on whichever endpoint they come, each by another number that follows from it, for as long as the process lives. */
final class EndpointsAnswer extends WorkerSide implements Completion {
    /** Bytes of a message. */
    static final int SIZE = Long.BYTES;

    private static final int RECEIVES = 16;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment[] incoming = new MemorySegment[RECEIVES];
    private final MemorySegment[] outgoing = new MemorySegment[RECEIVES];
    private final int port;
    private boolean closed;

    /**
     * Listens.
     *
     * @param arguments the transport
     */
    EndpointsAnswer(List<String> arguments, Optional<String> address) {
        super(arguments.getFirst());
        port = listen();
        for (int slot = 0; slot < RECEIVES; slot++) {
            incoming[slot] = arena.allocate(SIZE, SIZE);
            outgoing[slot] = arena.allocate(SIZE, SIZE);
            post(slot);
        }
    }

    /** The answer to a number. */
    static long answer(long number) {
        return ~number;
    }

    private void post(int slot) {
        taken(worker.receive(incoming[slot], 0, SIZE, TAG, Worker.FULL_TAG_MASK, this, slot));
    }

    @Override
    public void completed(Request request) {
        if (closed || request.status() == Status.CANCELLED) {
            return;
        }
        int slot = (int) request.userData();
        long number = request.status() == Status.OK && request.length() == SIZE
                ? incoming[slot].get(ValueLayout.JAVA_LONG, 0)
                : request.status().code();
        outgoing[slot].set(ValueLayout.JAVA_LONG, 0, answer(number));
        request.source().ifPresent(source -> answer(source, outgoing[slot]));
        post(slot);
    }

    private static void answer(Endpoint source, MemorySegment message) {
        // The asking side has one message in flight, so that there is room.
        taken(source.send(message, TAG, IGNORE));
    }

    @Override
    public String address() {
        return String.valueOf(port);
    }

    @Override
    public String turn(String line, Runnable begun) {
        return "";
    }

    /** Its work is done here: it waits as a thread with nothing else to do. */
    @Override
    public void rest() {
        advance();
    }

    @Override
    public void close() {
        closed = true;
        super.close();
        arena.close();
    }
}
