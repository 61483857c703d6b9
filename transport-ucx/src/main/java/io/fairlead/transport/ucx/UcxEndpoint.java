package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.served.Asking;
import io.fairlead.spi.host.HostSecret;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An endpoint over UCX. What UCX knows of it is made when it is its {@linkplain Pairing turn}.
 */
final class UcxEndpoint implements TransportEndpoint {
    private static final Logger LOG = LoggerFactory.getLogger(UcxEndpoint.class);
    private static final int SOURCE_SHIFT = 48;
    private static final long SOURCE_MASK = 0xFFFFL << SOURCE_SHIFT;
    /** Begins what a {@linkplain #introduction proof} signs, and nothing else that is signed. */
    private static final byte[] CLAIM = "fairlead ready".getBytes(StandardCharsets.US_ASCII);

    private static final int CLAIM_LENGTH = CLAIM.length + 4 * Long.BYTES + 2 * Integer.BYTES;
    /** Messages of the transport's own that have begun to arrive. Those of a peer that keeps the rules arrive in one piece. */
    private static final int COMING_MAX = 2 * MemoryNotes.WINDOW;

    private final UcxWorker worker;
    private final Flights flights;
    private final EndpointHost host;
    private final MemoryAccess access;
    private final long peerWorker;
    /** Null until it is made. */
    private @Nullable UcpEndpoint made;
    /** Its handle, or 0. */
    private long handle;

    private final long outgoing;
    private final long incoming;
    private final MemoryNotes memory;
    private final SignalQueue signals = new SignalQueue(this);
    private final Copies copies = new Copies(this);
    /** Signals of puts over shared memory: how many there have been, and how many of them have left. */
    private long mappedSignalsTaken;

    private long mappedSignalsLeft;
    /** Messages of the peer's transport, in the order of their arrival. */
    private final ArrayDeque<Note> notes = new ArrayDeque<>();

    /** Where the two sides share memory, for as long as they do not only share it. */
    private final @Nullable Rings rings;

    private final Introduction introduction;
    private int inFlight;
    /** Of those, the ones that a graceful close waits for. */
    private int leaving;

    /** Something was sent or put since the last drain. */
    private boolean dirty;

    private final RdmaOrder order = new RdmaOrder();

    /** Why UCX gave the peer up. */
    private byte givenUp;

    private boolean draining;
    private boolean failed;
    private boolean closed;

    UcxEndpoint(UcxWorker worker, EndpointHost host, WorkerAddress peer, MemoryAccess access) {
        this.worker = worker;
        this.flights = worker.flights();
        this.host = host;
        this.access = access;
        this.memory = new MemoryNotes(this);
        this.peerWorker = peer.worker();
        this.outgoing = (long) host.sourceId() << SOURCE_SHIFT;
        this.incoming = (long) host.id() << SOURCE_SHIFT;
        this.rings = access == MemoryAccess.MAPPED && worker.hasRings() ? new Rings(worker.rings(), this, host) : null;
        this.introduction = new Introduction(worker, this, peer, access, rings);
    }

    /** Between processes of one host, that the connector is one of them and has heard this listener's welcome. */
    @Override
    public byte[] introduction() {
        return access == MemoryAccess.MAPPED && host.connector()
                ? HostSecret.here().sign(claim(), CLAIM_LENGTH)
                : new byte[0];
    }

    /** A handshake that was overheard, and is said again by somebody else, ends here, before UCX makes anything of it. */
    @Override
    public void meet(byte[] proof) {
        if (access == MemoryAccess.MAPPED
                && !host.connector()
                && !HostSecret.here()
                        .signed(ByteBuffer.allocate(CLAIM_LENGTH + proof.length)
                                .put(claim())
                                .put(proof)
                                .array())) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "the handshake was not finished by a process of this user on this host: endpoint=" + host.label());
        }
    }

    /** What both sides know of the connection. */
    private byte[] claim() {
        boolean connector = host.connector();
        return ByteBuffer.allocate(CLAIM_LENGTH)
                .put(CLAIM)
                .putLong(host.token().connector())
                .putLong(host.token().listener())
                .putInt(connector ? host.id() : host.sourceId())
                .putInt(connector ? host.sourceId() : host.id())
                .putLong(connector ? worker.number() : peerWorker)
                .putLong(connector ? peerWorker : worker.number())
                .array();
    }

    @Override
    public void begin() {
        introduction.begin();
    }

    /** UCX knows the endpoint. */
    void made(UcpEndpoint ucp) {
        made = ucp;
        handle = ucp.handle();
    }

    /** The first message has to be answered by the peer's UCX, which then knows this endpoint. */
    void sendHello(Note note) {
        Flight flight = flights.take(Flight.Kind.HELLO, this, null, note.length);
        flight.note = note;
        flights.posted(
                flight,
                Ucp.tagSendSynchronous(
                        handle,
                        note.memory,
                        0,
                        note.length,
                        Note.tag(Note.HELLO, host.sourceId()),
                        flights.plain.of(flight.index)));
    }

    @Override
    public boolean ready() {
        return introduction.over();
    }

    @Override
    public List<String> lanes() {
        return failed ? List.of() : UcpLanes.of(handle);
    }

    EndpointHost host() {
        return host;
    }

    long handle() {
        return handle;
    }

    Flights flights() {
        return flights;
    }

    Asking asking() {
        return memory.asking;
    }

    SignalQueue signals() {
        return signals;
    }

    /** Whether something can be sent; before that nothing makes sense but a hello. */
    boolean made() {
        return handle != 0;
    }

    /** Whether nothing can be sent any more. */
    boolean ended() {
        return failed || closed;
    }

    void flightBegan(Flight.Kind kind) {
        inFlight++;
        if (kind.leaves()) {
            leaving++;
        }
    }

    void flightEnded(Flight.Kind kind) {
        inFlight--;
        if (kind.leaves()) {
            leaving--;
        }
    }

    /** UCX has given the peer up. */
    void failed(byte status) {
        fail(new FairleadException(
                Reason.PEER_LOST, "UCX gave the peer up: endpoint=" + host.label() + ", " + UcxStatus.text(status)));
    }

    /** UCX gives the peer up, from within its progress. */
    void giveUp(byte status) {
        givenUp = status;
    }

    /** Tells the core of it, now that UCX has returned. */
    void tellGivenUp() {
        if (givenUp != Ucp.OK) {
            failed(givenUp);
        }
    }

    void fail(FairleadException cause) {
        if (!ended()) {
            failed = true;
            host.failed(cause);
        }
    }

    // Messages.

    @Override
    public boolean send(Operation operation) {
        if (failed) {
            return false;
        }
        if (rings != null && rings.open()) {
            rings.post(operation);
            return true;
        }
        send(operation, outgoing | operation.tag());
        return true;
    }

    private void send(Operation operation, long tag) {
        dirty = true;
        MemorySegment[] buffers = operation.buffers();
        if (buffers != null) {
            Flight flight = flights.take(Flight.Kind.PLAIN, this, operation, operation.length());
            flights.posted(flight, sendGather(flight, buffers, tag));
            return;
        }
        MemorySegment buffer = operation.buffer();
        long offset = operation.offset();
        long length = operation.length();
        // Most sends end inside their call, and those never fly.
        long params = flights.plain.of(flights.nextIndex());
        long answer = operation.synchronous()
                ? Ucp.tagSendSynchronous(handle, buffer, offset, length, tag, params)
                : Ucp.tagSend(handle, buffer, offset, length, tag, params);
        if (answer == 0) {
            operation.complete(Status.OK, length);
        } else {
            flights.posted(flights.take(Flight.Kind.PLAIN, this, operation, length), answer);
        }
    }

    private long sendGather(Flight flight, MemorySegment[] buffers, long tag) {
        Arena arena = Arena.ofConfined();
        flight.arena = arena;
        MemorySegment vector = arena.allocate(ValueLayout.JAVA_LONG, 2L * buffers.length);
        int count = 0;
        for (MemorySegment buffer : buffers) {
            if (buffer.byteSize() > 0) {
                vector.setAtIndex(ValueLayout.JAVA_LONG, 2L * count, buffer.address());
                vector.setAtIndex(ValueLayout.JAVA_LONG, 2L * count + 1, buffer.byteSize());
                count++;
            }
        }
        return count == 0
                ? Ucp.tagSend(handle, vector, 0, 0, tag, flights.plain.of(flight.index))
                : Ucp.tagSend(handle, vector, 0, count, tag, flights.gather.of(flight.index));
    }

    /** What comes through a ring is the core's to match, and so is then what comes before. */
    @Override
    public boolean matches() {
        return rings == null;
    }

    @Override
    public boolean receive(Operation receive) {
        if (failed) {
            return false;
        }
        // Before the call, inside which UCX may call back.
        Flight flight = flights.take(Flight.Kind.POSTED, this, receive, 0);
        receive.attachment = flight;
        boolean polled = flights.roomForPolled();
        long answer;
        try {
            answer = Ucp.tagReceive(
                    worker.handle(),
                    receive.buffer(),
                    receive.offset(),
                    receive.length(),
                    incoming | receive.tag(),
                    SOURCE_MASK | receive.tagMask(),
                    polled ? flights.polledReceive.of(0) : flights.receive.of(flight.index));
        } catch (IllegalStateException closed) {
            flights.notPosted(flight);
            throw closed;
        }
        flights.postedReceive(flight, answer, polled);
        return true;
    }

    @Override
    public boolean withdraw(Operation receive) {
        return receive.attachment instanceof Flight flight && flights.withdraw(flight);
    }

    @Override
    public void deliver(Arrival arrival) {
        if (rings != null && (rings.brings(arrival) || rings.fetches(arrival))) {
            return;
        }
        if (!EagerArrivals.delivers(worker.rings().pool(), arrival) && arrival.word != 0) {
            worker.deliver(this, arrival);
        }
    }

    /** What is closed acknowledges nothing to a synchronous sender. */
    @Override
    public boolean keep(Arrival arrival) {
        long message = arrival.word;
        long length = arrival.length();
        if (arrival.attachment != null || message == 0 || length > host.eagerMax()) {
            return false;
        }
        arrival.word = 0;
        MemorySegment whole = worker.take(message, length);
        if (whole == null) {
            return false;
        }
        EagerArrivals.keep(worker.rings().pool(), arrival, whole);
        return true;
    }

    @Override
    public void discard(Arrival arrival) {
        if (rings != null && rings.declines(arrival)) {
            return;
        }
        if (!EagerArrivals.discards(worker.rings().pool(), arrival) && arrival.word != 0) {
            worker.discard(arrival.word);
            arrival.word = 0;
        }
    }

    @Override
    public int bring() {
        return rings == null ? 0 : rings.read();
    }

    /** Whether messages go through rings, both ways. */
    boolean onRings() {
        return introduction.onRings();
    }

    /** Whether messages come by a ring. */
    boolean reads() {
        return rings != null && rings.reading();
    }

    // Remote memory.

    @Override
    public boolean put(Operation operation) {
        return !failed && ((UcxRemoteMemory) operation.remote()).put(this, operation);
    }

    @Override
    public boolean get(Operation operation) {
        return !failed && ((UcxRemoteMemory) operation.remote()).get(this, operation);
    }

    @Override
    public boolean atomic(Operation operation) {
        return !failed && ((UcxRemoteMemory) operation.remote()).atomic(this, operation);
    }

    /**
     * The network card is about to touch the peer's memory.
     *
     * @param changes whether the peer has to see it before a graceful close ends
     */
    void touches(boolean changes) {
        dirty |= changes;
        order.touches();
    }

    @Override
    public boolean flush(Operation operation) {
        if (failed) {
            return false;
        }
        if (access == MemoryAccess.MAPPED) {
            // What was put is in the memory of all before anything is got from it behind this.
            VarHandle.fullFence();
        }
        if (!copies.isEmpty()) {
            copies.flush(operation);
        } else if (order.unflushed()) {
            flush(Flight.Kind.FLUSH, operation, order.flushes());
        } else {
            memory.asking.flush(operation);
        }
        return true;
    }

    void flushForSignal(long turn) {
        flush(Flight.Kind.SIGNAL_FLUSH, null, turn);
    }

    private void flush(Flight.Kind kind, @Nullable Operation operation, long turn) {
        Flight flight = flights.take(kind, this, operation, 0);
        flight.turn = turn;
        flights.posted(flight, Ucp.flush(handle, flights.plain.of(flight.index)));
    }

    @Override
    public void fence() {
        // Nothing on x86-64, which keeps these orders by itself, but for the compiler.
        VarHandle.acquireFence();
        VarHandle.releaseFence();
        order.fence(signals.taken() + mappedSignalsTaken, copies.taken());
        if (order.unseen()) {
            Ucp.fence(worker.handle());
        }
    }

    /** Whether an operation may go by another way than through the peer's hands, as far as fences are concerned. */
    boolean inOrder() {
        return order.mayTouch(memory.asking.isIdle());
    }

    /** Something is to be asked of the peer: whether it may be now, as far as fences are concerned; if not, asking is resumed. */
    boolean mayAsk() {
        if (order.needsFlush()) {
            flush(Flight.Kind.FENCE_FLUSH, null, order.flushes());
        }
        return order.mayAsk(signals.left() + mappedSignalsLeft, copies.left());
    }

    /** What is too long for its post, and what waits behind it. */
    Copies copies() {
        return copies;
    }

    /** There is something to copy in turns of progress, or no more. */
    void copies(boolean any) {
        worker.copies(this, any);
    }

    /** A put over shared memory will send a signal. */
    void signalTaken() {
        mappedSignalsTaken++;
    }

    /** The signal is on its way, in order with what is sent from now on; or never will be, because the put was refused. */
    void signalLeft() {
        mappedSignalsLeft++;
        memory.asking.resume();
    }

    /** A flush behind what the turn tells has ended. */
    void flushed(long turn) {
        order.flushed(turn);
        memory.asking.resume();
    }

    /** A flush between a put and its signal has ended. */
    void flushedForSignal(long turn) {
        signals.flushed(turn);
        memory.asking.resume();
    }

    @Override
    public RemoteMemory unpack(byte[] key, long regionId, long length) {
        RegionKey region = RegionKey.decode(key);
        if (region == null || region.markOffset < length) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY, "UCX part of a remote key is malformed: length=" + key.length + " bytes");
        }
        if (access == MemoryAccess.MAPPED && !region.genuine) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY,
                    "UCX part of a remote key was not made by this user on this host: endpoint=" + host.label());
        }
        return access.reach(handle, region, regionId);
    }

    // Messages between the two transports.

    Note note() {
        return worker.takeNote();
    }

    /** A message that will not be sent. */
    void giveBack(Note note) {
        worker.giveBack(note);
    }

    /** A message has left, or never will. */
    void sent(Note note) {
        boolean isAnswer = note.kind == Note.ANSWER;
        worker.giveBack(note);
        if (isAnswer) {
            memory.answerSent();
        }
    }

    /** Sends a signal; the put that it belongs to ends when it has left. */
    void sendSignal(long value, Operation put) {
        if (rings != null && rings.open()) {
            rings.post(put);
            return;
        }
        Note note = note();
        note.signal(value);
        send(note, Note.SIGNAL, put);
        if (access == MemoryAccess.MAPPED) {
            signalLeft();
        }
    }

    void send(Note note, int kind) {
        if (rings != null && rings.open() && !Note.introduces(kind)) {
            rings.send(note, kind);
        } else {
            send(note, kind, null);
        }
    }

    private void send(Note note, int kind, @Nullable Operation put) {
        dirty = true;
        note.kind = kind;
        Flight flight = flights.take(Flight.Kind.NOTE_OUT, this, put, note.length);
        flight.note = note;
        flights.posted(
                flight,
                Ucp.tagSend(
                        handle,
                        note.memory,
                        0,
                        note.length,
                        Note.tag(kind, host.sourceId()),
                        flights.plain.of(flight.index)));
    }

    /** A message of the peer's transport has begun to arrive. */
    void expect(Note note) {
        notes.add(note);
        if (notes.size() > COMING_MAX) {
            violated("too many messages of the peer's UCX transport have begun to arrive: count=" + notes.size()
                    + ", allowed " + COMING_MAX);
        }
    }

    /** Deals with the messages of the peer's transport that are here, in order. */
    void readNotes() {
        for (Note note = notes.peek(); note != null && note.here && !ended(); note = notes.peek()) {
            notes.remove();
            receive(note);
        }
    }

    /** Deals with a message of the peer's transport. */
    void receive(Note note) {
        try {
            read(note);
        } catch (FairleadException violation) {
            fail(violation);
        } catch (RuntimeException | Error thrown) {
            broke(thrown);
        } finally {
            worker.giveBack(note);
        }
    }

    private void read(Note note) {
        if (Note.introduces(note.kind) ? !note.isOf(host.token()) : !made()) {
            LOG.debug(
                    "dropped a message that belongs to another connection: endpoint={}, kind={}",
                    host.label(),
                    note.kind);
            return;
        }
        boolean understood = note.wellFormed() && (made() || note.kind == Note.HELLO);
        if (understood) {
            switch (note.kind) {
                case Note.SIGNAL -> host.signalled(note.value());
                case Note.REQUEST, Note.ANSWER -> memory.received(note);
                case Note.HELLO -> understood = introduction.hello(note);
                case Note.WELCOME -> understood = introduction.welcome(note);
                default -> understood = introduction.ready(note);
            }
        }
        if (!understood) {
            violated("message of the peer's UCX transport makes no sense: kind=" + note.kind + ", length=" + note.length
                    + " bytes");
        }
    }

    /** Messages go through rings from now on, both ways. */
    void leavesUcx() {
        worker.throughRings();
    }

    void tooLong(long length) {
        violated("message of the peer's UCX transport is too long: length=" + length + ", allowed " + Note.CAPACITY
                + " bytes");
    }

    /** The peer's process has ended, or is about to. */
    void lost(String how) {
        fail(new FairleadException(
                Reason.PEER_LOST, "peer's process is ending: " + how + ", endpoint=" + host.label()));
    }

    /**
     * Memory of an operation that is under way is not alive any more. Some of the operation may have left, so that only the end of the
     * endpoint can tell the peer.
     */
    void memoryClosed(IllegalStateException cause) {
        fail(new FairleadException(
                Reason.TRANSPORT,
                "memory of an operation was closed before the operation ended: endpoint=" + host.label() + ", cause: "
                        + cause.getMessage() + "; keep its Arena open until the completion has run",
                cause));
    }

    /** Something was thrown while this endpoint was worked on, which ends no other. */
    void broke(Throwable thrown) {
        fail(new FairleadException(
                Reason.TRANSPORT, "UCX transport failed: endpoint=" + host.label() + ", cause: " + thrown, thrown));
    }

    /** The peer has broken the rules of this transport. */
    void violated(String how) {
        fail(new FairleadException(Reason.PROTOCOL_VIOLATION, how + ", endpoint=" + host.label()));
    }

    // The end.

    @Override
    public boolean sendControl(ByteBuffer frame) {
        throw new IllegalStateException("the control connection is the core's");
    }

    @Override
    public boolean drained() {
        if (failed) {
            return true;
        }
        if (leaving > 0
                || (rings != null && !rings.drained())
                || !memory.asking.isIdle()
                || !signals.isEmpty()
                || !copies.isEmpty()) {
            return false;
        }
        if (dirty) {
            dirty = false;
            draining = true;
            Flight flight = flights.take(Flight.Kind.DRAIN, this, null, 0);
            flights.posted(flight, Ucp.flush(handle, flights.plain.of(flight.index)));
        }
        return !draining;
    }

    void drainEnded() {
        draining = false;
    }

    /** Null if UCX does not know the endpoint yet. */
    @Nullable UcpEndpoint ucp() {
        return made;
    }

    /** Whether UCX has nothing left to do for the closed endpoint, or will not do it any more. */
    boolean gone(boolean idle) {
        return made == null || (made.closes() && (inFlight == 0 || made.abandons(idle)));
    }

    /** Nothing of the application's is in flight by now. */
    @Override
    public void close() {
        closed = true;
        flights.cancelPosted(this);
        memory.asking.cancel();
        signals.cancel();
        copies.cancel();
        if (rings != null) {
            rings.close();
        }
        notes.forEach(worker::forget);
        notes.clear();
        introduction.close();
        if (made != null) {
            close(made);
        }
        worker.closing(this);
    }

    private void close(UcpEndpoint ucp) {
        if (introduction.over() || givenUp != Ucp.OK || access == MemoryAccess.MAPPED) {
            ucp.close();
        } else {
            ucp.closeWhenConnected();
            Flight flight = flights.take(Flight.Kind.LINGER, this, null, 0);
            flights.posted(flight, Ucp.flush(handle, flights.plain.of(flight.index)));
        }
    }
}
