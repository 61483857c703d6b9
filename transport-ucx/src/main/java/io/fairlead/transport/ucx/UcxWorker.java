package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.Connection;
import io.fairlead.spi.Descriptors;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * A UCX worker. JUCX makes and destroys it; all else is downcalls on its handle, progress too, since no callback of JUCX's is left
 * that would need a JNI frame.
 *
 * <p>A message's UCX tag is the receiver's 16-bit endpoint number above the application's 48 bits. Number 0 belongs to no
 * endpoint: under it travel the {@linkplain Note messages of this transport's own}.
 *
 * <p>Between processes that share memory, {@link Rings} carry the messages. Elsewhere receives for one endpoint are posted to UCX where the core allows it. What UCX has matched with none of them is taken from it and
 * announced to the core, which matches it with all other receives.
 */
final class UcxWorker implements TransportWorker {
    private static final int SOURCE_SHIFT = 48;
    private static final long TAG_MASK = (1L << SOURCE_SHIFT) - 1;
    /** Arrivals per progress: receives come before a flood. */
    private static final int ARRIVALS_MAX = 64;
    /** Every so many turns UCX is asked for messages although nothing tells of any. */
    private static final int TURNS_PER_LOOK = 16;
    /** Of so many turns that bring messages from rings, or while no endpoint needs UCX, one goes to UCX as well. */
    private static final int RING_TURNS_MAX = 8;

    private final UcxTransport transport;
    private final UcpWorker worker;
    private final long handle;
    private final WorkerAddress address;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment info = arena.allocate(Ucp.INFO_SIZE, Long.BYTES);
    private final MemorySegment nothing = arena.allocate(Long.BYTES);
    /** Where messages are taken to of which UCX may not have every byte. */
    private MemorySegment sink = nothing;

    private final Flights flights;
    private final MemorySegment errorCallback;
    private final Waiting waiting;
    private final List<Note> freeNotes = new ArrayList<>();
    private final List<UcxEndpoint> closing = new ArrayList<>();
    /** Endpoints that UCX has and nobody else. */
    private final List<UcpEndpoint> givenUp = new ArrayList<>();

    /** What tells this worker from all others. */
    private final long number = new SecureRandom().nextLong();

    private final Meetings meetings = new Meetings(this);
    /** With other workers, for as long as UCX keeps count of their endpoints: to the end of this one. */
    private final Map<Long, Pairing> pairings = new HashMap<>();

    private final WorkerRings rings;
    /** Endpoints with something to copy in turns of progress, the next first. */
    private final ArrayDeque<UcxEndpoint> copying = new ArrayDeque<>();

    private int ringTurns;
    /** Endpoints whose messages go through UCX: all, until their rings are open. */
    private int throughUcx;

    private @Nullable UcxEndpoint[] byId = new @Nullable UcxEndpoint[16];
    /** UCX has worked since it was last asked for unmatched messages. */
    private boolean unsearched;

    /** UCX has given up a peer, and the core does not know. */
    private boolean anyFailed;

    private int turns;

    private UcxWorker(UcxTransport transport, UcpWorker worker, WorkerHost host) {
        this.transport = transport;
        this.worker = worker;
        this.handle = worker.getNativeId();
        this.rings = new WorkerRings(transport.lanes().names().contains("cma"));
        this.flights = new Flights(this, arena);
        this.errorCallback = Ucp.callback(
                MethodHandles.lookup(),
                this,
                "peerFailed",
                FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_BYTE),
                arena);
        this.waiting = new Waiting(handle, host);
        ByteBuffer packed = worker.getAddress();
        byte[] bytes = new byte[packed.remaining()];
        packed.get(bytes);
        this.address = WorkerAddress.of(number, transport.lanes(), transport.rdma(), bytes);
    }

    static UcxWorker open(UcxTransport transport, UcpContext context, WorkerHost host) {
        UcpWorker worker = newWorker(context);
        try {
            return new UcxWorker(transport, worker, host);
        } catch (RuntimeException | Error failure) {
            worker.close();
            throw failure;
        }
    }

    /** UCX ends the process where it lacks a descriptor, cannot start its thread, or finds no room for a big message later on. So all are looked at before. */
    private static UcpWorker newWorker(UcpContext context) {
        int free = Descriptors.free();
        if (free < UcxProvider.DESCRIPTORS_MIN) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED, "no UCX worker can be made: " + Descriptors.shortage(free));
        }
        HostLimits limits = new HostLimits(UcxHost.here());
        Diagnosis memory = limits.sharedMemory();
        for (Diagnosis limit : List.of(limits.threads(), memory)) {
            if (limit.level() == Diagnosis.Level.FAILURE) {
                throw new FairleadException(
                        Reason.LIMIT_REACHED,
                        "no UCX worker can be made: " + limit.finding() + "; " + limit.remedy()
                                + ", or leave ucx out of the transports");
            }
        }
        try {
            return context.newWorker(new UcpWorkerParams());
        } catch (UcxException failure) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "ucp_worker_create failed: cause: " + failure.getMessage() + "; " + memory.finding()
                            + "; if that is little, enlarge it, or leave ucx out of the transports",
                    failure);
        }
    }

    long handle() {
        return handle;
    }

    /** What tells this worker from all others. */
    long number() {
        return number;
    }

    Flights flights() {
        return flights;
    }

    @Override
    public byte[] address() {
        return address.encode();
    }

    @Override
    public TransportEndpoint connect(EndpointHost endpointHost, byte[] peerAddress, Connection connection) {
        WorkerAddress peer = WorkerAddress.decode(peerAddress);
        if (peer == null) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "the peer's UCX address is malformed: length=" + peerAddress.length + " bytes");
        }
        // The core asked for the reach of a connector; a listener's answer comes here first.
        if (peer.isHere() ? !peer.genuine() : !transport.lanes().reach(peer.lanes(), false)) {
            throw new FairleadException(Reason.PROTOCOL_VIOLATION, UcxTransport.unsigned());
        }
        MemoryAccess access = transport.lanes().access(peer.lanes(), peer.isHere());
        UcxEndpoint endpoint = new UcxEndpoint(this, endpointHost, peer, access);
        int id = endpointHost.id();
        if (id >= byId.length) {
            byId = Arrays.copyOf(byId, Integer.highestOneBit(id) * 2);
        }
        byId[id] = endpoint;
        throughUcx++;
        return endpoint;
    }

    /** With another worker; null if it is this one. */
    @Nullable Pairing pairing(long peer) {
        return peer == number
                ? null
                : pairings.computeIfAbsent(peer, _ -> new Pairing(this, Long.compareUnsigned(number, peer) < 0));
    }

    /** Nothing is known of another worker any more. */
    void forgetPairing(long peer) {
        pairings.remove(peer);
    }

    Meetings meetings() {
        return meetings;
    }

    /** Endpoints of which only UCX knows. */
    int givenUp() {
        return givenUp.size();
    }

    /** With how many workers there are or were endpoints. */
    int pairings() {
        return pairings.size();
    }

    /** UCX may end the process where it makes an endpoint by a port that is down. */
    void requirePort(MemoryAccess access, String label) {
        if (access == MemoryAccess.RDMA) {
            transport.portDown().ifPresent(down -> {
                throw new FairleadException(
                        Reason.TRANSPORT, "cannot connect by RDMA: endpoint=" + label + ", cause: " + down);
            });
        }
    }

    /** Closes an endpoint of which only UCX knows, when it may be connected. */
    void giveUp(UcpEndpoint endpoint) {
        endpoint.closeWhenConnected();
        givenUp.add(endpoint);
    }

    @Override
    public boolean takesConnection() {
        return false;
    }

    /** Through shared memory; a network connection of UCX's may have to be made first, by progress. */
    @Override
    public boolean movesInPost() {
        Lanes lanes = transport.lanes();
        return lanes.memory() && !lanes.rdma() && !lanes.tcp();
    }

    /** The messages of one more endpoint go through rings both ways. */
    void throughRings() {
        throughUcx--;
    }

    /** Whether endpoints within the host may have rings. */
    boolean hasRings() {
        return transport.rings();
    }

    WorkerRings rings() {
        return rings;
    }

    @Override
    public int progress() {
        int events = rings.progress();
        if (!copying.isEmpty()) {
            events += copy();
        }
        // A peer that wants to connect has an endpoint here, which counts as one that needs UCX, before it says hello.
        boolean ringsAlone = throughUcx == 0 && closing.isEmpty() && givenUp.isEmpty();
        if ((events > 0 || ringsAlone) && flights.idle() && ++ringTurns % RING_TURNS_MAX != 0) {
            return events;
        }
        events += progressUcx();
        // That took longer than to look here once more.
        return events > 0 ? events : rings.read();
    }

    /** One endpoint's turn. */
    private int copy() {
        UcxEndpoint endpoint = copying.remove();
        copying.add(endpoint);
        return endpoint.copies().advance();
    }

    /** An endpoint has something to copy, or no more. */
    void copies(UcxEndpoint endpoint, boolean any) {
        if (any) {
            copying.add(endpoint);
        } else {
            copying.remove(endpoint);
        }
    }

    private int progressUcx() {
        int worked = Ucp.progress(handle);
        if (worked > 0 || flights.unasked()) {
            flights.poll();
        }
        int events = flights.anyLanded() ? flights.land() : 0;
        if (anyFailed) {
            tellFailed();
        }
        // Most of what UCX does is to end our requests, and that needs no look at its unmatched messages now. A
        // quiet turn has the time for it.
        if (worked > events || (unsearched && worked == 0) || ++turns % TURNS_PER_LOOK == 0) {
            unsearched = false;
            events += arrivals();
        } else if (worked > 0) {
            unsearched = true;
        }
        if (!closing.isEmpty()) {
            abandon(worked + events == 0);
        }
        if (!meetings.isEmpty()) {
            events += meetings.progress();
        }
        if (!givenUp.isEmpty()) {
            givenUp.removeIf(UcpEndpoint::closes);
        }
        return Math.max(worked, events);
    }

    /** UCX's callback for peers that it gives up. Must not throw, and must leave the endpoint be until UCX has returned. */
    @SuppressWarnings("unused")
    private void peerFailed(long id, long endpoint, byte status) {
        UcxEndpoint failed = endpoint((int) id);
        if (failed != null && failed.handle() == endpoint) {
            failed.giveUp(status);
            anyFailed = true;
            return;
        }
        for (UcxEndpoint closed : closing) {
            UcpEndpoint lingering = closed.ucp();
            if (lingering != null && closed.handle() == endpoint) {
                lingering.connected();
            }
        }
    }

    private void tellFailed() {
        anyFailed = false;
        for (UcxEndpoint endpoint : byId) {
            if (endpoint != null) {
                endpoint.tellGivenUp();
            }
        }
    }

    /** What UCX calls when it gives a peer up. */
    MemorySegment errorCallback() {
        return errorCallback;
    }

    /** Takes every message that UCX has not matched to the core's matching. */
    private int arrivals() {
        int count = 0;
        while (count < ARRIVALS_MAX) {
            long message = Ucp.claimAny(handle, info.address());
            if (message == 0) {
                return count;
            }
            count++;
            long tag = info.get(JAVA_LONG, Ucp.INFO_TAG);
            long length = info.get(JAVA_LONG, Ucp.INFO_LENGTH);
            int id = (int) (tag >>> SOURCE_SHIFT);
            if (id == 0) {
                receiveOwn(message, tag, length);
            } else {
                announce(message, id, tag & TAG_MASK, length);
            }
        }
        unsearched = true;
        return count;
    }

    private @Nullable UcxEndpoint endpoint(int id) {
        return id < byId.length ? byId[id] : null;
    }

    private void announce(long message, int id, long tag, long length) {
        UcxEndpoint endpoint = endpoint(id);
        // The messages of an endpoint with a ring are announced there, and none comes before the peer's first word:
        // this
        // one is a stranger's, who names whom he likes.
        if (endpoint == null || !endpoint.made() || endpoint.reads()) {
            discard(message);
            return;
        }
        endpoint.host().heard();
        Arrival arrival;
        try {
            arrival = endpoint.host().arrived(tag, length, place(endpoint.host(), length));
        } catch (RuntimeException | Error thrown) {
            discard(message);
            endpoint.broke(thrown);
            return;
        }
        if (arrival == null) {
            discard(message);
        } else {
            // UCX does not tell how much of it is here.
            arrival.word = message;
            Operation receive = arrival.operation();
            if (receive != null) {
                deliverNow(endpoint, arrival, receive);
            }
        }
    }

    private void deliverNow(UcxEndpoint endpoint, Arrival arrival, Operation receive) {
        try {
            deliver(endpoint, arrival);
        } catch (IllegalStateException closed) {
            // It is out of matching, so that it would never end.
            discard(arrival.word);
            endpoint.memoryClosed(closed);
            receive.complete(Status.CANCELLED, 0);
        }
    }

    static Arrival.Place place(EndpointHost host, long length) {
        return length <= host.eagerMax() ? Arrival.Place.EAGER : Arrival.Place.SENDER;
    }

    /** Brings a message into its receive's buffer. */
    void deliver(UcxEndpoint endpoint, Arrival arrival) {
        Operation receive = Objects.requireNonNull(arrival.operation(), "operation");
        long answer = Ucp.receiveMessage(
                handle,
                receive.buffer(),
                receive.offset(),
                Math.min(receive.length(), arrival.length()),
                arrival.word,
                flights.message.of(flights.nextIndex()));
        flights.posted(flights.take(Flight.Kind.RECEIVE, endpoint, receive, arrival.length()), answer);
    }

    /**
     * Takes a message whose endpoint is closed from UCX, if every byte of it is here. UCX, which keeps the request of any other, may write the rest
     * whenever it comes, into memory that is there as long as the worker.
     *
     * @return the message until the next call; null if it is lost
     */
    @Nullable MemorySegment take(long message, long length) {
        if (sink.byteSize() < length) {
            sink = arena.allocate(length, Long.BYTES);
        }
        return receiveNow(message, sink, length) ? sink : null;
    }

    /** Frees a message. UCX has no call for that; a receive without room does it. */
    void discard(long message) {
        boolean _ = receiveNow(message, nothing, 0);
    }

    private boolean receiveNow(long message, MemorySegment buffer, long length) {
        long answer = Ucp.receiveMessage(handle, buffer, 0, length, message, flights.unattendedMessage.of(0));
        if (answer == 0 || Ucp.isError(answer)) {
            return answer == 0;
        }
        byte status = Ucp.received(answer, info.address());
        Ucp.free(answer);
        return status == Ucp.OK;
    }

    private void receiveOwn(long message, long tag, long length) {
        UcxEndpoint endpoint = endpoint(Note.endpoint(tag));
        if (endpoint == null || endpoint.ended()) {
            discard(message);
        } else {
            receiveNote(endpoint, message, Note.kind(tag), length);
        }
    }

    private void receiveNote(UcxEndpoint endpoint, long message, int kind, long length) {
        if (length > Note.CAPACITY) {
            discard(message);
            if (endpoint.made()) {
                endpoint.tooLong(length);
            }
            return;
        }
        endpoint.host().heard();
        Note note = takeNote();
        note.kind = kind;
        note.length = (int) length;
        note.here = false;
        endpoint.expect(note);
        Flight flight = flights.take(Flight.Kind.NOTE_IN, endpoint, null, length);
        flight.note = note;
        flights.posted(
                flight, Ucp.receiveMessage(handle, note.memory, 0, length, message, flights.message.of(flight.index)));
    }

    Note takeNote() {
        return freeNotes.isEmpty() ? new Note(arena) : freeNotes.removeLast();
    }

    void giveBack(Note note) {
        freeNotes.add(note);
    }

    /** A note of an endpoint that has ended: it is free now, or once UCX has ended its request. */
    void forget(Note note) {
        if (note.here) {
            giveBack(note);
        }
    }

    /** What a request was for is done, or has failed. */
    void ended(Flight flight) {
        UcxEndpoint endpoint = flight.endpoint;
        Operation operation = flight.operation;
        boolean good = flight.status == Ucp.OK;
        if (!good && flight.status != Ucp.MESSAGE_TRUNCATED && flight.status != Ucp.CANCELED && endpoint != null) {
            endpoint.failed(flight.status);
        }
        switch (flight.kind) {
            case PLAIN -> whole(operation).complete(good ? Status.OK : Status.CANCELLED, flight.length);
            case POSTED -> endPosted(flight, whole(endpoint), whole(operation));
            case RECEIVE ->
                whole(operation)
                        .complete(
                                good || flight.status == Ucp.MESSAGE_TRUNCATED ? Status.OK : Status.CANCELLED,
                                flight.length);
            case FLUSH -> {
                if (good) {
                    whole(endpoint).flushed(flight.turn);
                    whole(endpoint).asking().flush(whole(operation));
                } else {
                    whole(operation).complete(Status.CANCELLED, 0);
                }
            }
            case SIGNAL_FLUSH -> {
                if (good) {
                    whole(endpoint).flushedForSignal(flight.turn);
                }
            }
            case FENCE_FLUSH -> {
                if (good) {
                    whole(endpoint).flushed(flight.turn);
                }
            }
            case NOTE_OUT -> {
                whole(endpoint).sent(whole(flight.note));
                if (operation != null) {
                    operation.complete(good ? Status.OK : Status.CANCELLED, operation.length());
                }
            }
            case HELLO -> giveBack(whole(flight.note));
            case PUT_SIGNAL -> {}
            case NOTE_IN -> endNote(whole(endpoint), whole(flight.note), good);
            case DRAIN -> whole(endpoint).drainEnded();
            case LINGER -> whole(whole(endpoint).ucp()).connected();
            case WITHDRAWN -> {}
        }
    }

    private static <T> T whole(@Nullable T value) {
        return Objects.requireNonNull(value, "flight");
    }

    private static void endPosted(Flight flight, UcxEndpoint endpoint, Operation receive) {
        if (flight.status == Ucp.OK || flight.status == Ucp.MESSAGE_TRUNCATED) {
            endpoint.host().heard();
            endpoint.host().matched(receive, flight.arrivedTag & TAG_MASK, flight.arrivedLength);
            receive.complete(Status.OK, flight.arrivedLength);
        } else {
            receive.complete(Status.CANCELLED, 0);
        }
    }

    private void endNote(UcxEndpoint endpoint, Note note, boolean good) {
        note.here = true;
        if (endpoint.ended() || !good) {
            giveBack(note);
        } else {
            endpoint.readNotes();
        }
    }

    /** The core has closed an endpoint: its requests end in later progress. */
    void closing(UcxEndpoint endpoint) {
        int id = endpoint.host().id();
        if (endpoint(id) == endpoint) {
            byId[id] = null;
        }
        if (!endpoint.onRings()) {
            throughUcx--;
        }
        closing.add(endpoint);
        copying.remove(endpoint);
    }

    /**
     * Ends what UCX will not: a receive whose message was cut off in the middle stays open for ever, because it belongs to the worker and
     * not to the endpoint. Once the worker is idle nothing more can arrive for it.
     */
    private void abandon(boolean idle) {
        for (int i = closing.size() - 1; i >= 0; i--) {
            UcxEndpoint endpoint = closing.get(i);
            if (endpoint.gone(idle)) {
                closing.remove(i);
                flights.abandon(endpoint);
            }
        }
    }

    private boolean anyLingers() {
        boolean any = givenUp.stream().anyMatch(lingering -> !lingering.closes());
        for (UcxEndpoint endpoint : closing) {
            UcpEndpoint lingering = endpoint.ucp();
            any |= lingering != null && !lingering.closes();
        }
        if (any) {
            Thread.onSpinWait();
        }
        return any;
    }

    @Override
    public boolean arm() {
        // What has ended inside its post is nothing that UCX would wake anybody for.
        return copying.isEmpty()
                && meetings.isEmpty()
                && !flights.unasked()
                && !flights.anyLanded()
                && rings.rest()
                && waiting.arm();
    }

    @Override
    public void close() {
        for (int i = 0; (i < 1000 && !flights.idle()) || anyLingers(); i++) {
            progressUcx();
        }
        flights.abandonAll();
        waiting.close(worker);
        rings.close();
        worker.close();
        arena.close();
    }
}
