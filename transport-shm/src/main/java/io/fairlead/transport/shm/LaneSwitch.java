package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LaneEndpoint;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Takes an endpoint off its rings, and sends their records on the control connection from then on. Positions in a ring
 * are the counts by which nothing is lost or repeated: each side first stops reading and writing its rings and the
 * peer's memory, then says how far it has read, and goes on behind what the peer has read.
 *
 * <p>Each side leaves once. A side that has left needs nothing of the peer but its position: nobody chooses, since there
 * is one other path.
 */
final class LaneSwitch {
    /** The endpoint. */
    interface User {
        EndpointHost host();

        /** There is work for the next turn. */
        void markBacklogged();

        /** Stops all use of the peer's memory, and of the ring that this side reads. Returns its continuation. */
        StreamedRing leaveRings();

        /** The peer has left too: nobody uses the rings any more. */
        void releaseRings();
    }

    /** Frames: a byte that says which, and a position or records. */
    private static final byte LEFT = 1;

    private static final byte RECORDS = 2;
    /** The rest of the ring stays unused behind these records. */
    private static final byte LAST_RECORDS = 3;

    private static final byte POSITION = 4;

    private static final long UNKNOWN = -1;

    private final User user;
    private final EndpointHost host;
    private final KeptRing out;
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

    LaneSwitch(User user, KeptRing out) {
        this.user = user;
        this.host = user.host();
        this.out = out;
    }

    /** Leaves in the next turn; false if this side leaves already, or has left. */
    boolean tryLeave(String why) {
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
                boolean _ = tryLeave("the peer has left the rings");
                user.markBacklogged();
                return;
            }
        } else if ((kind == RECORDS || kind == LAST_RECORDS) && ring != null && peerRead != UNKNOWN) {
            ring.take(bytes, kind == LAST_RECORDS);
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
        return streaming ? count + send(ring) : count;
    }

    /** Sends what was written, and how far was read. */
    private int send(StreamedRing ring) {
        int count = 0;
        blocked = false;
        while (out.hasUnsent() && !blocked) {
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

    /** Whether records that are written go on the control connection. */
    boolean isStreaming() {
        return streaming;
    }

    /** Whether this side has stopped using the rings. */
    boolean hasLeft() {
        return in != null;
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
                        && (streaming ? !out.hasUnsent() && !ring.hasUnreported() : peerRead == UNKNOWN));
    }

    /** Whether the peer has, or gets, all that was written. A ring may break as long as the peer has not read it. */
    boolean isDrained() {
        return cause == null ? out.isTaken() : streaming && !out.hasUnsent();
    }
}
