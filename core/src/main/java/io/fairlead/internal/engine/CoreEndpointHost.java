package io.fairlead.internal.engine;

import io.fairlead.ActiveMessage;
import io.fairlead.Authorizer.Verdict;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PeerIdentity;
import io.fairlead.Worker;
import io.fairlead.internal.control.ControlFrame;
import io.fairlead.internal.control.ControlUser;
import io.fairlead.internal.memory.KeyIssuer;
import io.fairlead.internal.memory.RegionAccess;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LaneEndpoint;
import io.fairlead.spi.LayerWorker;
import io.fairlead.spi.LocalRegion;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The endpoint's interface to its transport and its control channel: checks what arrives, and passes it on. */
final class CoreEndpointHost implements EndpointHost, ControlUser, ControlFrame.Handler, RegionAccess.Owner {
    /** The cost of a message that breaks a rule. */
    private static final long REFUSED = -1;

    private final CoreWorker worker;
    private final int id;
    private final EndpointLifecycle lifecycle;
    private final EndpointPeer peer;
    private final CoreEndpoint endpoint;
    private final ReceiveMatching receives;
    /** The keys that were issued for the peer, and what it may access; null before the first. */
    private @Nullable KeyIssuer issuer;

    /** Whether rules limit what peers may send. */
    private final boolean restricted;
    /** Whether the peer may send messages, decided for one version of the rules. */
    private Verdict messages = Verdict.ALLOWED;

    private int messagesDecidedBy = -1;

    CoreEndpointHost(CoreWorker worker, int id, EndpointLifecycle lifecycle, CoreEndpoint endpoint) {
        this.worker = worker;
        this.id = id;
        this.lifecycle = lifecycle;
        this.peer = endpoint.peer();
        this.endpoint = endpoint;
        this.receives = worker.receives();
        this.restricted = worker.connections().access().isRestricted();
    }

    // Messages.

    @Override
    public @Nullable Arrival arrived(long tag, long length, Arrival.Place place) {
        // The data path may be faster than the last message of the handshake.
        if (!lifecycle.connect()) {
            return null;
        }
        if (length < 0 || (tag & ~Worker.TAG_MAX) != 0) {
            failViolation("message header out of range: tag=" + tag + ", length=" + length);
            return null;
        }
        Credits credits = endpoint.credits();
        if (place == Arrival.Place.EAGER && length > credits.eagerMax()) {
            failViolation("eager message too long: length=" + length + ", eagerMax=" + credits.eagerMax() + " bytes");
            return null;
        }
        if (!credits.tryAdmit(credits.cost(length))) {
            failViolation("message without credits: length=" + length + " bytes");
            return null;
        }
        if (restricted && !mayArrive(tag)) {
            return null;
        }
        return receives.arrived(endpoint, tag, length);
    }

    @Override
    public @Nullable Operation match(long tag, long length) {
        Credits credits = endpoint.credits();
        if (!lifecycle.isAnnounced()
                || (tag & ~Worker.TAG_MAX) != 0
                || !credits.mayArrive(length)
                || (restricted && !mayArrive(tag))) {
            return null;
        }
        CoreOperation receive = receives.match(endpoint, tag, length);
        if (receive != null && credits.takeMatched(length)) {
            worker.connections().queueCredits(lifecycle);
        }
        return receive;
    }

    @Override
    public @Nullable Arrival activeArrived(int number, int headerLength, long length) {
        long cost = admitActive(number, headerLength, length);
        return cost < 0 ? null : worker.active().arrived(endpoint, number, headerLength, length, cost);
    }

    @Override
    public boolean tryTakeActive(int number, int headerLength, MemorySegment bytes, long offset, long length) {
        long cost = admitActive(number, headerLength, length);
        if (cost < 0) {
            return false;
        }
        worker.active().take(endpoint, number, headerLength, bytes, offset, length, cost);
        return true;
    }

    /** Takes the credits of an eager active message, and returns them; negative if it breaks a rule. */
    private long admitActive(int number, int headerLength, long length) {
        if (!lifecycle.connect()) {
            return REFUSED;
        }
        long payload = length - headerLength;
        Credits credits = endpoint.credits();
        if (payload > credits.eagerMax()) {
            failViolation("eager message too long: length=" + payload + ", eagerMax=" + credits.eagerMax() + " bytes");
            return REFUSED;
        }
        long cost = credits.activeCost(headerLength, payload);
        return mayArrive(credits, number, headerLength, payload, cost) ? cost : REFUSED;
    }

    @Override
    public @Nullable Arrival activeAnnounced(
            int number, MemorySegment header, long offset, int headerLength, long length) {
        if (!lifecycle.connect()) {
            return null;
        }
        Credits credits = endpoint.credits();
        if (length <= credits.eagerMax()) {
            failViolation(
                    "announced message too short: length=" + length + ", eagerMax=" + credits.eagerMax() + " bytes");
            return null;
        }
        long cost = credits.activeCost(headerLength, length);
        return mayArrive(credits, number, headerLength, length, cost)
                ? worker.active().announced(endpoint, number, header, offset, headerLength, length, cost)
                : null;
    }

    /** Whether an active message is well-formed, paid and allowed; ends the endpoint if not. */
    private boolean mayArrive(Credits credits, int number, int headerLength, long length, long cost) {
        if (length < 0
                || headerLength < 0
                || headerLength > ActiveMessage.HEADER_MAX
                || number < 0
                || number > LayerWorker.LAYER_HANDLER_MAX) {
            failViolation("active message out of range: number=" + number + ", headerLength=" + headerLength
                    + ", length=" + length);
            return false;
        }
        if (!credits.tryAdmit(cost)) {
            failViolation("message without credits: length=" + length + " bytes");
            return false;
        }
        return !restricted || number >= LayerWorker.LAYER_HANDLER_MIN || maySendMessagesOr("handler", number);
    }

    /**
     * Whether a message is the layer's, which decides itself, or one that the peer may send; ends the endpoint if not.
     */
    private boolean mayArrive(long tag) {
        return endpoint.handler().mayBePreface(tag) || maySendMessagesOr("tag", tag);
    }

    private boolean maySendMessagesOr(String what, long number) {
        if (!maySendMessages()) {
            fail(new FairleadException(
                    Reason.REFUSED,
                    "the peer is not allowed to send messages: endpoint=" + label() + ", identity=" + peer.identity()
                            + ", " + what + "=" + number + "; " + messages.reason()));
        }
        return messages.isAllowed();
    }

    /** Whether the peer may send messages under the current rules. */
    private boolean maySendMessages() {
        if (!restricted) {
            return true;
        }
        int version = worker.connections().access().version();
        if (version != messagesDecidedBy) {
            messagesDecidedBy = version;
            messages = worker.connections().access().authorizer().messages(peer.identity());
        }
        return messages.isAllowed();
    }

    @Override
    public void signalled(long value) {
        worker.signals().add(endpoint, value);
    }

    // The control channel.

    @Override
    public void control(ByteBuffer frame) {
        lifecycle.channel().arrived(frame);
    }

    @Override
    public void controlReceived() {
        lifecycle.keepAlive().recordReceived();
    }

    @Override
    public boolean mayLeaveLanes() {
        return lifecycle.transport().mayLeaveLanes();
    }

    @Override
    public boolean trySendFrame(ByteBuffer frame) {
        return lifecycle.channel().lane(frame);
    }

    @Override
    public void leftLanes(String cause, long pauseNs, long replayed) {
        lifecycle.leftLanes(cause, pauseNs, replayed);
    }

    @Override
    public void returnedToLanes(long pauseNs) {
        lifecycle.returnedToLanes(pauseNs);
    }

    @Override
    public void stayedOffLanes(String why) {
        lifecycle.stayedOffLanes(why);
    }

    @Override
    public boolean takesLaneFrames() {
        return lifecycle.transport().lanesToLeave() != null;
    }

    @Override
    public void lane(ByteBuffer bytes) {
        LaneEndpoint part = lifecycle.transport().lanesToLeave();
        if (part != null && !lifecycle.isEnding()) {
            part.frame(bytes);
        }
    }

    @Override
    public void heard() {
        // Data beside the control connection does not prove that the control connection works. Credits, disconnects and
        // revocations use only that connection.
        if (!lifecycle.channel().isSeparate()) {
            lifecycle.keepAlive().recordReceived();
        }
    }

    @Override
    public void wakePeer() {
        lifecycle.wakePeer();
    }

    // Frames of the control channel.

    @Override
    public void ping(long sequence) {
        // If there is no capacity for the answer, there is other traffic, and it proves the same.
        lifecycle.channel().pong(sequence);
    }

    @Override
    public void pong(long sequence) {
        lifecycle.recordAnswer(sequence);
    }

    @Override
    public void credit(long bytes) {
        lifecycle.takeGrant(bytes);
    }

    @Override
    public void disconnect() {
        lifecycle.transport().disconnected();
    }

    @Override
    public void wake() {
        // Its arrival is all that matters.
    }

    @Override
    public void revoke(long regionId) {
        endpoint.revoke(regionId);
    }

    @Override
    public void withdraw(long regionId) {
        endpoint.usableKeys().withdraw(regionId);
    }

    // End of the endpoint.

    @Override
    public void failed(FairleadException cause) {
        lifecycle.transport().reportFailure(cause);
    }

    @Override
    public void readSoon() {
        worker.connections().queueReading(lifecycle);
    }

    @Override
    public void fail(FairleadException cause) {
        lifecycle.fail(cause);
    }

    @Override
    public void failThrown(Throwable thrown) {
        lifecycle.failThrown(thrown);
    }

    @Override
    public void lost(FairleadException cause) {
        lifecycle.transport().connectionLost(cause);
    }

    @Override
    public void ended() {
        lost(new FairleadException(
                Reason.PEER_LOST,
                "peer closed the connection without a graceful disconnect: endpoint=" + label()
                        + worker.connections().stall().note()));
    }

    private void failViolation(String message) {
        lifecycle.failViolation(message);
    }

    // Properties.

    @Override
    public void admitRegion(RegionProof proof) {
        issuer().admitted().admit(proof);
    }

    @Override
    public @Nullable LocalRegion acquireRegion(long regionId) {
        return issuer == null ? null : issuer.acquire(regionId);
    }

    /** Creates keys of this context's regions for the peer, and has what it may do to them. */
    KeyIssuer issuer() {
        KeyIssuer known = issuer;
        if (known == null) {
            known = new KeyIssuer(
                    endpoint, new RegionAccess(worker.connections().access(), this), worker.regions());
            issuer = known;
        }
        return known;
    }

    /** A region is closed. */
    void forgetRegion(long regionId) {
        if (issuer != null) {
            issuer.forget(regionId);
        }
    }

    /** Reviews the peer's rights; returns why the endpoint must end, or null. */
    @Nullable FairleadException reviewKeys() {
        return issuer == null ? null : issuer.review();
    }

    /** Reports to the peer which regions it must access through their owner. */
    void reportWithdrawals() {
        if (issuer != null && issuer.hasUnreported()) {
            issuer.report(lifecycle.channel()::withdraw);
        }
    }

    /** The endpoint has ended. */
    void endRegions() {
        if (issuer != null) {
            issuer.end();
        }
    }

    @Override
    public PeerIdentity peerIdentity() {
        return peer.identity();
    }

    @Override
    public String nodeName() {
        return worker.settings().name();
    }

    @Override
    public int eagerMax() {
        return endpoint.credits().eagerMax();
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public boolean isConnector() {
        return lifecycle.transport().isConnector();
    }

    @Override
    public byte[] pathKey(String label) {
        return peer.pathKey(label);
    }

    @Override
    public int sourceId() {
        return peer.sourceId();
    }

    @Override
    public String label() {
        return peer.label();
    }
}
