package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LaneEndpoint;
import io.fairlead.spi.LaneFailback;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Takes an endpoint off its rings, sends their records on the control connection meanwhile, and takes it back to other
 * rings. Positions in a ring are the counts by which nothing is lost or repeated: each side first stops reading and
 * writing its rings and the peer's memory, then says how far it has read, and goes on behind what the peer has read.
 * Positions go on in all rings of an endpoint.
 *
 * <p>Each side leaves a ring once. A side that has left needs nothing of the peer but its position: nobody chooses,
 * since there is one other path. {@link LaneFailback} is the way back.
 */
final class LaneSwitch implements LaneFailback.Lanes {
    /** The endpoint. */
    interface User {
        EndpointHost host();

        /** There is work for the next turn. */
        void markBacklogged();

        /** There are records in the ring of a peer that may rest. */
        void markWritten();

        /** Stops all use of the peer's memory, and of the ring that this side reads. Returns its continuation. */
        StreamedRing leaveRings();

        /** The peer has left too: nobody uses the rings any more. */
        void releaseRings();

        /** Reads a ring again, which is the endpoint's from now on. */
        void readRing(RingSlots.Slot ring);

        /**
         * Both directions use rings again.
         *
         * @param process the peer's; null if reading it is not allowed. The endpoint's from now on
         */
        void useRings(@Nullable PinnedProcess process);
    }

    /** Frames: a byte that says which, and a position or records. */
    private static final byte LEFT = 1;

    private static final byte RECORDS = 2;
    /** The rest of the ring stays unused behind these records. */
    private static final byte LAST_RECORDS = 3;

    private static final byte POSITION = 4;

    private static final long UNKNOWN = -1;

    private static final String PEER_LEFT = "the peer has left the rings";

    private final User user;
    private final EndpointHost host;
    private final KeptRing out;
    private final RingReturn rings;
    private final LaneFailback failback;
    /** Null while this side has not left. */
    private @Nullable StreamedRing in;

    private @Nullable ByteBuffer frame;
    /** Why this side leaves; null if it does not. */
    private @Nullable String cause;

    private long failedNs;
    /** The peer knows that this side has left, and where. */
    private boolean said;

    private long leftAt;
    /** How far the peer had read when it left. */
    private long peerRead = UNKNOWN;
    /** Both have left. */
    private boolean streaming;
    /** The control connection was full. */
    private boolean blocked;

    // Going back.

    /** Records go to the ring when the peer has read those that were sent. */
    private boolean stopped;
    /** This side reads a ring again. */
    private boolean reads;
    /** Why this side leaves the new rings as soon as both directions use them. */
    private @Nullable String again;
    /** How far the peer had read when it left the new rings. */
    private long peerReadAgain = UNKNOWN;

    LaneSwitch(User user, KeptRing out, RingReturn rings) {
        this.user = user;
        this.host = user.host();
        this.out = out;
        this.rings = rings;
        this.failback = new LaneFailback(host, this);
    }

    /** Leaves in the next turn, or as soon as it is back on rings; false if this side leaves already, or has left. */
    boolean tryLeave(String why) {
        if (failback.isGoing() && again == null) {
            again = why;
            return true;
        }
        if (cause != null) {
            return false;
        }
        cause = why;
        failedNs = System.nanoTime();
        user.markBacklogged();
        return true;
    }

    /** Takes a frame of the peer; untrusted. */
    void take(ByteBuffer bytes) {
        byte kind = bytes.get();
        StreamedRing ring = in;
        if ((kind == LEFT || kind == POSITION) && bytes.remaining() == Long.BYTES) {
            long position = bytes.order(ByteOrder.BIG_ENDIAN).getLong();
            if (kind == POSITION && streaming) {
                out.takePosition(position);
                return;
            }
            if (kind == LEFT && peerRead == UNKNOWN && position >= 0) {
                peerRead = position;
                boolean _ = tryLeave(PEER_LEFT);
                user.markBacklogged();
                return;
            }
            if (kind == LEFT && failback.mayPeerHaveFinished() && peerReadAgain == UNKNOWN && position >= 0) {
                peerReadAgain = position;
                boolean _ = tryLeave(PEER_LEFT);
                return;
            }
        } else if ((kind == RECORDS || kind == LAST_RECORDS)
                && ring != null
                && peerRead != UNKNOWN
                && !failback.hasPeerStopped()) {
            ring.take(bytes, kind == LAST_RECORDS);
            return;
        } else if (LaneFailback.isKind(kind) && said && peerRead != UNKNOWN) {
            // The peer may know that both have left before this side has gone on.
            failback.take(kind, bytes);
            user.markBacklogged();
            return;
        }
        throw new FairleadException(
                Reason.PROTOCOL_VIOLATION,
                "frame of a lane makes no sense: endpoint=" + host.label() + ", kind=" + kind + ", length="
                        + bytes.remaining() + " bytes");
    }

    /** Does what is due; returns the amount of work. */
    int advance() {
        String why = cause;
        if (why == null) {
            return 0;
        }
        int count = 0;
        StreamedRing ring = in;
        if (ring == null) {
            out.leave();
            ring = user.leaveRings();
            in = ring;
            leftAt = ring.position();
            count++;
        }
        if (!said) {
            blocked = !send(LEFT, leftAt);
            said = !blocked;
            count++;
        }
        if (said && !streaming && peerRead != UNKNOWN) {
            long replayed = out.resume(peerRead);
            streaming = true;
            user.releaseRings();
            host.leftLanes(why, System.nanoTime() - failedNs, replayed);
            count++;
        }
        if (streaming) {
            count += send(ring) + failback.advance();
        }
        return count;
    }

    /** Sends what was written, and how far was read. */
    private int send(StreamedRing ring) {
        int count = 0;
        blocked = false;
        while (!stopped && out.hasUnsent() && !blocked) {
            long before = out.sent();
            ByteBuffer bytes = frame(RECORDS);
            if (out.take(bytes)) {
                bytes.put(0, LAST_RECORDS);
            }
            if (host.trySendFrame(bytes.flip())) {
                count++;
            } else {
                out.untake(before);
                blocked = true;
            }
        }
        if (ring.hasUnreported() && !blocked) {
            if (send(POSITION, ring.published())) {
                ring.markReported();
                count++;
            } else {
                blocked = true;
            }
        }
        if (blocked) {
            user.markBacklogged();
        }
        return count;
    }

    private boolean send(byte kind, long position) {
        return host.trySendFrame(frame(kind).putLong(position).flip());
    }

    private ByteBuffer frame(byte kind) {
        ByteBuffer bytes = frame;
        if (bytes == null) {
            bytes = ByteBuffer.allocateDirect(LaneEndpoint.FRAME_MAX);
            frame = bytes;
        }
        return bytes.clear().put(kind);
    }

    /** This side has read its ring. */
    void reportRead() {
        StreamedRing ring = in;
        if (streaming && ring != null && ring.hasUnreported()) {
            user.markBacklogged();
        }
    }

    /** Whether records that are written wait here, instead of in a ring. */
    boolean isStreaming() {
        return streaming && !failback.isWriting();
    }

    /** Whether this side has stopped using rings, and is not back in both directions. */
    boolean hasLeft() {
        return in != null;
    }

    /** Whether the records that this side reads come on the control connection. */
    boolean readsStream() {
        return in != null && !reads;
    }

    /** Whether it goes on when the control connection has capacity, which wakes the worker. */
    boolean isBlocked() {
        return blocked;
    }

    /** Whether there is nothing to do in the next turn. */
    boolean isIdle() {
        StreamedRing ring = in;
        return cause == null
                || (ring != null
                        && said
                        && (streaming
                                ? (stopped || !out.hasUnsent()) && !ring.hasUnreported() && failback.isIdle()
                                : peerRead == UNKNOWN));
    }

    /** Whether the peer has, or gets, all that was written. A ring may break as long as the peer has not read it. */
    boolean isDrained() {
        return (cause == null || failback.isWriting()) ? out.isTaken() : streaming && !stopped && !out.hasUnsent();
    }

    // Going back.

    /** Tries to go back, beginning in the next turn; as {@link LaneEndpoint#tryReturnToLanes}. */
    boolean tryReturn() {
        boolean begins = streaming && failback.tryBegin();
        if (begins) {
            user.markBacklogged();
        }
        return begins;
    }

    @Override
    public void prepare() {
        rings.pass();
        if (host.isConnector()) {
            rings.take();
        }
    }

    @Override
    public void connect() {
        if (!host.isConnector()) {
            rings.take();
        }
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public void abandon() {
        rings.close();
    }

    @Override
    public boolean tryStopSending() {
        stopped = true;
        return true;
    }

    @Override
    public boolean tryReadLanes() {
        StreamedRing ring = in;
        if (ring == null || !ring.tryEnd()) {
            return false;
        }
        if (ring.hasUnreported()) {
            if (!send(POSITION, ring.published())) {
                return false;
            }
            ring.markReported();
        }
        RingSlots.Slot next = rings.takeSlot();
        next.begin(ring.position());
        user.readRing(next);
        reads = true;
        return true;
    }

    @Override
    public void writeLanes() {
        out.enter(rings.takeSlab());
        user.markWritten();
    }

    @Override
    public void finish() {
        in = null;
        reads = false;
        stopped = false;
        streaming = false;
        said = false;
        blocked = false;
        cause = null;
        user.useRings(rings.takeProcess());
        String next = again;
        peerRead = peerReadAgain;
        again = null;
        peerReadAgain = UNKNOWN;
        if (next != null) {
            boolean _ = tryLeave(next);
        }
    }

    /** The endpoint has ended. */
    void close() {
        rings.close();
    }
}
