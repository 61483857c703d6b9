package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.DirectEndpoint;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LaneEndpoint;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.WireUpEndpoint;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An endpoint over UCX. Its UCX endpoint is created when its {@linkplain EndpointPairing turn} comes. */
final class UcxEndpoint
        implements WireUpEndpoint,
                DirectEndpoint,
                LaneEndpoint,
                TransportChannel.Receiver,
                UcxRequest.Owner,
                LaneSwitch.User {
    private static final Logger LOG = LoggerFactory.getLogger(UcxEndpoint.class);
    /** Maximum number of requests and answers of emulated remote memory access in flight. */
    private static final int INCOMING_MAX = 2 * RemoteOperations.WINDOW;

    /** Of a worker: with more UCX endpoints that wait for their close, no other one is made for a return to UCX. */
    private static final int ABANDONED_MAX = 64;

    /** Behind a proof in the data of the wire-up: this side may leave its lanes. */
    private static final byte MAY_LEAVE = 1;

    private final WorkerParts worker;
    private final UcxRequests requests;
    private final UcxEndpointState state;
    private final TransportChannel channel;
    private final WorkerAddress peer;
    private final Lanes.Route route;
    /** How UCX connects it; another one for each return to UCX. */
    private WireUp wireUp;

    private int attempts;
    private final BatchOutbox batches;
    private final TagChannel messages;
    private final ActiveChannel active;
    private final RemoteOperations memory;

    private final Consumer<UcxEndpoint> closing;
    private boolean draining;
    /** Null unless both sides may leave their lanes. */
    private @Nullable LaneSwitch lanes;

    /**
     * Creates an endpoint without a UCX endpoint.
     *
     * @param route the kind of path to the peer
     * @param closing notified when the core closes it
     */
    UcxEndpoint(
            WorkerParts worker,
            EndpointHost host,
            WorkerAddress peer,
            Lanes.Route route,
            Consumer<UcxEndpoint> closing) {
        this.worker = worker;
        this.requests = worker.requests();
        this.state = new UcxEndpointState(host);
        this.batches = new BatchOutbox(state, requests, worker.messages(), worker.batches());
        this.channel = new TransportChannel(
                state, requests, worker.unmatched(), worker.messages(), batches, INCOMING_MAX, this);
        this.peer = peer;
        this.route = route;
        this.wireUp = new WireUp(state, channel, worker.wireUps(), peer, route, 0, state::fail);
        this.messages = new TagChannel(state, requests, worker.unmatched(), worker.kept(), batches);
        this.active = new ActiveChannel(state, worker.unmatched(), channel, messages, batches);
        this.memory = new RemoteOperations(state, requests, channel, worker.copies(), route, worker.mayMap());
        this.closing = closing;
    }

    @Override
    public UcxEndpointState state() {
        return state;
    }

    /** The application's messages outside of batches. */
    TagChannel messages() {
        return messages;
    }

    /** The active messages. */
    ActiveChannel active() {
        return active;
    }

    /** The transport's own messages. */
    TransportChannel channel() {
        return channel;
    }

    /** A proof, and a byte behind it if this side may leave its lanes. */
    @Override
    public byte[] wireUpData() {
        byte[] proof = wireUp.proof().make();
        if (!mayLeave()) {
            return proof;
        }
        byte[] data = Arrays.copyOf(proof, proof.length + 1);
        data[proof.length] = MAY_LEAVE;
        return data;
    }

    @Override
    public void wireUp(byte[] data) {
        HandshakeProof proof = wireUp.proof();
        boolean peerMay = data.length == proof.length() + 1 && data[proof.length()] == MAY_LEAVE;
        proof.check(peerMay ? Arrays.copyOf(data, proof.length()) : data);
        if (peerMay && mayLeave()) {
            LaneSwitch agreed = new LaneSwitch(state, worker, batches, this);
            lanes = agreed;
            state.setLanes(agreed);
        }
        wireUp.agree();
    }

    /** Batches carry whole messages of the transport then, so they must not be shorter. */
    private boolean mayLeave() {
        return state.host().mayLeaveLanes() && state.host().eagerMax() >= TransportMessage.CAPACITY;
    }

    @Override
    public void begin() {
        wireUp.begin();
    }

    @Override
    public boolean isReady() {
        return wireUp.isOver();
    }

    @Override
    public List<String> lanes() {
        return state.hasFailed() || state.hasLeft() ? List.of() : UcpLanes.of(state.handle());
    }

    // Operations that UCX ends inside its call. What it begins there and does not end, the next post takes over, which
    // the core makes at once.

    @Override
    public boolean trySend(MemorySegment buffer, long offset, long length, long tag) {
        return !state.hasFailed() && messages.trySend(buffer, offset, length, tag);
    }

    @Override
    public boolean trySendActive(int handler, MemorySegment header, MemorySegment buffer, long offset, long length) {
        return !state.hasFailed() && active.trySend(handler, header, buffer, offset, length);
    }

    @Override
    public boolean tryPut(RemoteMemory target, long targetOffset, MemorySegment source, long offset, long length) {
        return !state.hasFailed() && memory.tryPut(target, targetOffset, source, offset, length);
    }

    @Override
    public boolean tryGet(RemoteMemory source, long sourceOffset, MemorySegment target, long offset, long length) {
        return !state.hasFailed() && memory.tryGet(source, sourceOffset, target, offset, length);
    }

    // Messages.

    @Override
    public boolean send(Operation operation) {
        if (state.hasFailed()) {
            return false;
        }
        if (operation.isActive()) {
            active.send(operation);
        } else {
            messages.send(operation);
        }
        return true;
    }

    @Override
    public void deliver(Arrival arrival) {
        messages.deliver(arrival);
    }

    @Override
    public boolean keep(Arrival arrival) {
        return messages.keep(arrival);
    }

    @Override
    public void discard(Arrival arrival) {
        messages.discard(arrival);
    }

    // Remote memory.

    @Override
    public boolean put(Operation operation) {
        if (state.hasFailed()) {
            return false;
        }
        memory.put(operation);
        return true;
    }

    @Override
    public boolean get(Operation operation) {
        if (state.hasFailed()) {
            return false;
        }
        memory.get(operation);
        return true;
    }

    @Override
    public boolean atomic(Operation operation) {
        if (state.hasFailed()) {
            return false;
        }
        memory.atomic(operation);
        return true;
    }

    @Override
    public boolean flush(Operation operation) {
        if (state.hasFailed()) {
            return false;
        }
        memory.flush(operation);
        return true;
    }

    @Override
    public void fence() {
        memory.fence();
    }

    @Override
    public RemoteMemory unpack(byte[] key, RegionProof region, long length) {
        return memory.unpack(key, region, length);
    }

    // Messages between the two transports.

    @Override
    public void receive(TransportMessage message) {
        try {
            read(message);
        } catch (FairleadException violation) {
            state.fail(violation);
        } catch (RuntimeException | Error thrown) {
            state.failThrown(thrown);
        }
    }

    private void read(TransportMessage message) {
        if (TransportMessage.isWireUp(message.kind)) {
            if (!wireUp.tryReceive(message)) {
                state.noteDropped(message.kind, message.length);
            }
            return;
        }
        EndpointHost host = state.host();
        if (!state.isMade()) {
            LOG.debug("dropped a message ahead of the wire-up: endpoint={}, kind={}", host.label(), message.kind);
            return;
        }
        if (!message.isWellFormed()) {
            state.failViolation("message of the peer's UCX transport makes no sense: kind=" + message.kind + ", length="
                    + message.length + " bytes");
        } else if (message.kind == TransportMessage.SIGNAL) {
            host.signalled(message.signal());
        } else {
            memory.receive(message);
        }
    }

    @Override
    public void answerLeft() {
        memory.answerLeft();
    }

    // Leaving the lanes.

    @Override
    public boolean tryLeaveLanes(String cause) {
        return lanes != null && state.mayLeave() && lanes.tryLeave(cause);
    }

    @Override
    public void frame(ByteBuffer frame) {
        if (lanes == null) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "the peer must not leave UCX: endpoint=" + state.host().label());
        }
        lanes.take(frame);
    }

    @Override
    public boolean tryStopOneSided() {
        return memory.tryStop();
    }

    @Override
    public void leaveUcx() {
        wireUp.end();
        state.leave();
        UcpEndpoint ucp = state.ucp();
        if (ucp != null) {
            ucp.close();
        }
    }

    @Override
    public boolean tryReturnToLanes() {
        return lanes != null && !state.hasEnded() && lanes.tryReturn();
    }

    @Override
    public void prepareUcx(Consumer<FairleadException> failing) {
        // The connector has every offer. The listener offers only what this does not refuse.
        int attempt = attempts + 1;
        if (state.host().isConnector()) {
            attempts = attempt;
        }
        wireUp.requirePort();
        int abandoned = worker.wireUps().abandoned().size();
        if (abandoned >= ABANDONED_MAX) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "too many UCX endpoints wait for their close: endpoint="
                            + state.host().label() + ", count=" + abandoned + ", allowed " + ABANDONED_MAX);
        }
        WireUp next = new WireUp(state, channel, worker.wireUps(), peer, route, attempt, failing);
        next.agree();
        wireUp.close();
        wireUp = next;
        attempts = attempt;
    }

    @Override
    public void connectUcx() {
        wireUp.begin();
    }

    @Override
    public boolean isUcxConnected() {
        return wireUp.isOver();
    }

    @Override
    public void abandonUcx() {
        wireUp.close();
        boolean closable = wireUp.isOver() || state.isGivenUp();
        UcpEndpoint unused = state.detach();
        if (unused != null) {
            if (closable) {
                unused.close();
            } else {
                worker.wireUps().abandoned().addUnconnected(unused, state.host(), requests);
            }
        }
    }

    @Override
    public void useUcx() {
        state.comeBack();
        memory.comeBack();
    }

    @Override
    public void resumeAnswers() {
        memory.resumeAnswers();
    }

    // End of the endpoint.

    @Override
    public boolean isDrained() {
        if (state.hasFailed()) {
            return true;
        }
        if (lanes != null) {
            return memory.isDrained() && lanes.isDrained();
        }
        batches.flush();
        if (state.isLeaving() || !memory.isDrained()) {
            return false;
        }
        if (state.takeDirty()) {
            draining = true;
            flush(UcxRequest.Kind.DRAIN);
        }
        return !draining;
    }

    private void flush(UcxRequest.Kind kind) {
        UcxRequest request = requests.take(kind, this, null, 0);
        requests.posted(request, Ucp.flush(state.handle(), requests.plain.of(request.index)));
    }

    @Override
    public void ended(UcxRequest request) {
        UcpEndpoint lingering = state.ucp();
        if (request.kind == UcxRequest.Kind.DRAIN) {
            draining = false;
        } else if (lingering != null) {
            lingering.markConnected();
        }
    }

    /** Whether UCX has no work left for the closed endpoint, or will not do it any more. */
    boolean isGone(boolean idle) {
        UcpEndpoint ucp = state.ucp();
        return ucp == null || (ucp.tryClose() && (state.isIdle() || ucp.isAbandoned(idle)));
    }

    /** No operation of the application is in flight by now. */
    @Override
    public void close() {
        CloseSteps.runAll(
                state::close,
                batches::close,
                memory::cancel,
                channel::close,
                wireUp::close,
                () -> {
                    if (lanes != null) {
                        lanes.close();
                    }
                },
                () -> {
                    UcpEndpoint ucp = state.ucp();
                    if (ucp != null && state.handle() != 0) {
                        close(ucp);
                    }
                },
                () -> closing.accept(this));
    }

    /** Within a host too a connection message of UCX can wait for capacity, in the peer's queue. */
    private void close(UcpEndpoint ucp) {
        if (wireUp.isOver() || state.isGivenUp()) {
            ucp.close();
        } else {
            ucp.closeWhenConnected();
            flush(UcxRequest.Kind.LINGER);
        }
    }
}
