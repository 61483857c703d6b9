package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The messages of an endpoint whose peer shares memory with this process: a {@link Ring} in each direction. Eager messages are in it, and
 * therefore complete in the order in which they were sent; of long and synchronous ones it has an announcement, which keeps their matching
 * in order, and the rest is a {@link Rendezvous}. The transport's own messages are in it too.
 *
 * <p>The side that connected names the ring that it reads in its hello; the welcome names the other one, and what follows it is in the first;
 * what follows the last of the three messages is in the second. Where one side has no ring, or cannot map the other's, all goes through UCX.
 */
final class Rings {
    /** Messages per turn: completions come before a flood. */
    private static final int MESSAGES_MAX = 16;

    private final WorkerRings worker;
    private final UcxEndpoint endpoint;
    private final EndpointHost host;
    /** What this side reads, from its offer to the end; and whether the peer writes there already. */
    private RingSlots.@Nullable Slot slot;

    private @Nullable RingReader in;
    /** What the peer reads, and its mapping here. */
    private @Nullable SharedFile mapping;

    /** The peer's process, if it may be read. */
    private @Nullable PeerProcess peerProcess;

    private @Nullable RingWriter out;
    private final EagerArrivals eager;
    private final Rendezvous rendezvous;
    /** Messages of this transport's own for which there was no room. */
    private final ArrayDeque<Note> notes = new ArrayDeque<>();

    /** Sends and puts with a signal for which there was no room. */
    private @Nullable Operation first;

    private @Nullable Operation last;
    /** The worker knows that there is something to do. */
    private boolean waiting;
    /** Parts of long messages go before operations, in every other turn. */
    private boolean partsFirst;
    /** Something was written since the peer was last looked at: it may rest. */
    private boolean written;

    Rings(WorkerRings worker, UcxEndpoint endpoint, EndpointHost host) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.host = host;
        this.eager = new EagerArrivals(this, host, worker.pool());
        this.rendezvous = new Rendezvous(this, endpoint, host, worker.memory());
    }

    // Opening.

    /**
     * Writes into a message what the peer needs to write to this side.
     *
     * @return false if there is no memory for it
     */
    boolean offer(Note note) {
        RingSlots.Slot mine = worker.slots().take();
        if (mine == null) {
            return false;
        }
        slot = mine;
        note.ring(mine.index(), mine.key());
        return true;
    }

    /**
     * The peer has offered the ring that it reads. What is sent from now on is written to it.
     *
     * @return whether this side can write to it
     */
    boolean accept(Note offer) {
        if (!offer.hasRing() || !RingSlots.isIndex(offer.ringIndex())) {
            return false;
        }
        byte[] key = offer.ringKey();
        if (!SharedFile.genuine(key)) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "the peer's ring was not made by this user on this host: endpoint=" + host.label());
        }
        // Known before the file is found in it: the number is that process's then, for as long as it is alive.
        PeerProcess process = worker.memory() == null ? null : worker.process(SharedFile.process(key));
        SharedFile found = SharedFile.open(key, RingSlots.SLAB_SIZE);
        if (found == null || (process != null && !process.alive())) {
            if (found != null) {
                found.close();
            }
            worker.release(process);
            return false;
        }
        mapping = found;
        peerProcess = process;
        out = new RingWriter(RingSlots.ringAddress(found.address(), offer.ringIndex()));
        return true;
    }

    /** One of the two sides has no ring: messages go through UCX. */
    void abandon() {
        out = null;
        letGo();
    }

    private void letGo() {
        SharedFile peer = mapping;
        if (peer != null) {
            mapping = null;
            peer.close();
        }
        worker.release(peerProcess);
        peerProcess = null;
        RingSlots.Slot mine = slot;
        if (mine != null) {
            slot = null;
            worker.slots().giveBack(mine);
        }
    }

    /** The peer's process; null if it cannot be read. */
    @Nullable PeerProcess peerProcess() {
        return peerProcess;
    }

    /** Whether the peer's endpoint had ended, and given its memory back, when everything before this call was done. */
    boolean peerEnded() {
        return Objects.requireNonNull(out, "out").readerEnded();
    }

    /** Whether this side writes to the peer's ring. */
    boolean open() {
        return out != null;
    }

    /** The peer writes to this side's ring from now on, if it was told of one. */
    void listen() {
        RingSlots.Slot mine = slot;
        if (mine != null) {
            in = new RingReader(mine.address());
            worker.reads(this);
        }
    }

    /** Whether the peer writes to this side's ring. */
    boolean reading() {
        return in != null;
    }

    // Writing.

    /** Takes in a send, or a put that is done but for its signal. */
    void post(Operation operation) {
        if (first == null && writes(operation)) {
            return;
        }
        operation.next = null;
        Operation tail = last;
        if (tail == null) {
            first = operation;
            waiting();
        } else {
            tail.next = operation;
        }
        last = operation;
    }

    /** Sends a message of this transport's own. */
    void send(Note note, int kind) {
        note.kind = kind;
        if (!notes.isEmpty() || !writes(note)) {
            notes.add(note);
            waiting();
        }
    }

    private boolean writes(Note note) {
        RingWriter ring = Objects.requireNonNull(out, "out");
        if (!ring.claim(note.length)) {
            return false;
        }
        ring.put(0, note.memory, 0, note.length);
        ring.publish(Ring.NOTE, note.length, note.kind, note.length);
        endpoint.sent(note);
        wrote();
        return true;
    }

    /** There is something to do in the next turn, or once there is room. */
    void waiting() {
        if (!waiting) {
            waiting = true;
            worker.backlogged(this);
        }
    }

    /** Does what is left to do, as far as there is room. */
    int catchUp() {
        try {
            return writeBacklog();
        } catch (RuntimeException | Error thrown) {
            endpoint.broke(thrown);
            return 1;
        }
    }

    private int writeBacklog() {
        RingWriter ring = out;
        if (ring == null || endpoint.ended()) {
            return 0;
        }
        if (ring.deceived()) {
            endpoint.violated(ring.deception());
            return 1;
        }
        int count = rendezvous.read();
        if (endpoint.ended()) {
            return count;
        }
        // Answers first: they let the peer go on.
        count += rendezvous.answer(ring);
        while (!notes.isEmpty() && writes(notes.peek())) {
            notes.remove();
            count++;
        }
        partsFirst = !partsFirst;
        if (partsFirst) {
            count += rendezvous.writeParts(ring);
        }
        count += catchUpOperations();
        count += rendezvous.writeParts(ring);
        if (count > 0) {
            wrote();
        }
        return count;
    }

    /** Whether nothing is left to do; what the worker is told of from now on is news to it. */
    boolean caughtUp() {
        waiting = !endpoint.ended() && !(first == null && notes.isEmpty() && rendezvous.idle());
        return !waiting;
    }

    private int catchUpOperations() {
        int count = 0;
        for (Operation operation = first; operation != null; operation = first) {
            Operation following = operation.next;
            operation.next = null;
            if (!writesQueued(operation)) {
                operation.next = following;
                return count;
            }
            first = following;
            count++;
        }
        last = null;
        return count;
    }

    private boolean writesQueued(Operation operation) {
        try {
            return writes(operation);
        } catch (IllegalStateException closed) {
            endpoint.memoryClosed(closed);
            return false;
        }
    }

    /** Whether everything that was taken in is written, and taken where it waits for the peer. */
    boolean drained() {
        return first == null && notes.isEmpty() && rendezvous.drained();
    }

    private boolean writes(Operation operation) {
        RingWriter ring = Objects.requireNonNull(out, "out");
        long length = operation.length();
        if (operation.hasSignal()) {
            if (!ring.write(Ring.SIGNAL, 0, operation.operand())) {
                return false;
            }
            operation.complete(Status.OK, length);
            endpoint.signalLeft();
        } else if (length <= host.eagerMax() && !operation.synchronous()) {
            if (length <= Ring.PAYLOAD_MAX
                    ? !writesWhole(ring, operation, (int) length)
                    : !writesParts(ring, operation)) {
                return false;
            }
            operation.complete(Status.OK, length);
        } else {
            if (!rendezvous.announces(ring, operation)) {
                return false;
            }
        }
        wrote();
        return true;
    }

    private static boolean writesWhole(RingWriter ring, Operation operation, int length) {
        if (!ring.claim(length)) {
            return false;
        }
        put(ring, operation, 0, length);
        ring.publish(Ring.MESSAGE, length, operation.tag(), length);
        return true;
    }

    /** Writes as many parts as there is room for; what is written already is in the operation's word. */
    private boolean writesParts(RingWriter ring, Operation operation) {
        long length = operation.length();
        while (operation.word < length) {
            int part = (int) Math.min(length - operation.word, Ring.PAYLOAD_MAX);
            if (!ring.claim(part)) {
                return false;
            }
            try {
                put(ring, operation, operation.word, part);
            } catch (IllegalStateException closed) {
                if (operation.word > 0) {
                    // The peer waits for the rest.
                    endpoint.memoryClosed(closed);
                }
                throw closed;
            }
            if (operation.word == 0) {
                ring.publish(Ring.FIRST, length, operation.tag(), part);
            } else {
                ring.publish(Ring.MORE, part, 0, part);
            }
            operation.word += part;
            wrote();
        }
        return true;
    }

    /** Copies some of an operation's payload into the record that is claimed. */
    static void put(RingWriter ring, Operation operation, long from, long bytes) {
        MemorySegment[] buffers = operation.buffers();
        if (buffers == null) {
            ring.put(0, operation.buffer(), operation.offset() + from, bytes);
            return;
        }
        long at = 0;
        long skipped = from;
        for (MemorySegment buffer : buffers) {
            long here = Math.min(Math.max(buffer.byteSize() - skipped, 0), bytes - at);
            if (here > 0) {
                ring.put(at, buffer, skipped, here);
                at += here;
            }
            skipped = Math.max(skipped - buffer.byteSize(), 0);
        }
    }

    private void wrote() {
        if (!written) {
            written = true;
            worker.wrote(this);
        }
    }

    /** Wakes the peer if it rests; behind a full fence. */
    void wakePeer() {
        written = false;
        SharedFile peer = mapping;
        if (peer != null && RingSlots.rests(peer.address()) && RingSlots.claimsWakeup(peer.address())) {
            host.wakePeer();
        }
    }

    // Reading.

    /** Whether something is here to read. */
    boolean ready() {
        RingReader ring = in;
        return ring != null && ring.ready();
    }

    /** Takes what is here to the core's matching. */
    int read() {
        try {
            return readMessages();
        } catch (RuntimeException | Error thrown) {
            in = null;
            endpoint.broke(thrown);
            return 1;
        }
    }

    private int readMessages() {
        RingReader ring = in;
        int count = 0;
        while (ring != null && count < MESSAGES_MAX && ring.next()) {
            count++;
            if (!takes(ring)) {
                in = null;
                return count;
            }
            ring.done();
        }
        if (ring != null) {
            if (count == 0) {
                ring.tell();
            } else {
                ring.tellIfMuch();
                host.heard();
            }
        }
        return count;
    }

    /** False if nothing that follows makes sense. */
    private boolean takes(RingReader ring) {
        if (!ring.wellFormed()) {
            return nonsense(ring);
        }
        return switch (ring.kind()) {
            case Ring.MESSAGE -> eager.takesMessage(ring);
            case Ring.FIRST -> eager.takesFirst(ring);
            case Ring.MORE -> eager.takesMore(ring);
            case Ring.SIGNAL -> {
                host.signalled(ring.tag());
                yield true;
            }
            case Ring.ANNOUNCEMENT -> rendezvous.announced(ring);
            case Ring.WANTED -> rendezvous.wanted(ring.tag(), ring.length()) || nonsense(ring);
            case Ring.PART -> rendezvous.takesPart(ring) || nonsense(ring);
            case Ring.TAKEN -> rendezvous.taken(ring.tag()) || nonsense(ring);
            default -> takesNote(ring);
        };
    }

    private boolean takesNote(RingReader ring) {
        Note note = endpoint.note();
        note.kind = (int) ring.tag();
        note.length = (int) ring.length();
        ring.copy(note.memory, 0, note.length);
        endpoint.receive(note);
        return !endpoint.ended();
    }

    /** Memory of a receive is not alive any more. */
    void memoryClosed(IllegalStateException cause) {
        endpoint.memoryClosed(cause);
    }

    /** The record makes no sense: false. */
    boolean nonsense(RingReader ring) {
        endpoint.violated("record in the peer's ring makes no sense: kind=" + ring.kind() + ", length=" + ring.length()
                + " bytes");
        return false;
    }

    /** Whether parts of a message are still to come. */
    boolean brings(Arrival arrival) {
        return eager.brings(arrival);
    }

    /** Has an announced message brought that a receive has matched; false if it is none. */
    boolean fetches(Arrival arrival) {
        return rendezvous.delivers(arrival);
    }

    /** Lets the peer forget an announced message; false if it is none. */
    boolean declines(Arrival arrival) {
        return rendezvous.discards(arrival);
    }

    // The end.

    /** The endpoint has ended, and so have the operations that wait here. */
    void close() {
        RingSlots.Slot mine = slot;
        if (mine != null) {
            RingReader.end(mine.address());
        }
        out = null;
        in = null;
        for (Operation operation = first; operation != null; operation = first) {
            first = operation.next;
            operation.next = null;
            operation.complete(Status.CANCELLED, 0);
        }
        last = null;
        rendezvous.close();
        notes.forEach(endpoint::sent);
        notes.clear();
        eager.close();
        worker.forget(this);
        letGo();
    }
}
