package io.fairlead.spi;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Incubating;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The protocol by which an endpoint that has left its lanes goes back to new ones, for both sides of a
 * {@link LaneEndpoint}. Its frames travel on the control connection among those of the data, once and in order.
 *
 * <p>The listener begins, and decides:
 *
 * <ol>
 *   <li>It prepares lanes and sends {@code OFFER}. The connector prepares its own and answers {@code READY}, or
 *       {@code REFUSED}. Both connect the lanes. Data goes on over the control connection meanwhile.
 *   <li>Once the listener's lanes are connected, it sends {@code BACK}: it sends no more data on the control connection.
 *       Otherwise it sends {@code STAY}, and both drop what they have prepared. After {@code READY} the connector
 *       accepts either.
 *   <li>The connector answers {@code BACK} with its own. Each side reads all that has arrived before the peer's, then
 *       reads its lanes, and sends {@code READ}. Each side writes to its lanes once it has the peer's {@code READ}.
 * </ol>
 *
 * <p>Nothing is counted and nothing can overtake: before {@code READ} the lanes are empty, and after it the control
 * connection is. From {@code BACK} on both sides go through with it. Lanes that fail then are left again.
 *
 * <p>Not thread-safe: belongs to the endpoint's worker.
 */
@Incubating
public final class LaneFailback {
    /** The endpoint's lanes. */
    public interface Lanes {
        /**
         * Prepares new lanes. The listener's are prepared before the connector's.
         *
         * @throws FairleadException if that is not possible now
         */
        void prepare();

        /**
         * Begins to connect the prepared lanes: the peer has prepared its own, or will when it has read the answer.
         *
         * @throws FairleadException if that is not possible
         */
        void connect();

        /**
         * Whether the lanes are connected, at the listener.
         *
         * @return whether they are
         * @throws FairleadException if they never will be
         */
        boolean isConnected();

        /** Drops what was prepared. */
        void abandon();

        /**
         * Stops sending data on the control connection.
         *
         * @return whether it has; false if something has to be sent there before
         */
        boolean tryStopSending();

        /**
         * Reads the lanes from now on.
         *
         * @return whether it does; false if this side has not read all that has arrived on the control connection
         */
        boolean tryReadLanes();

        /** Writes to the lanes from now on: the peer has read all that was sent on the control connection. */
        void writeLanes();

        /** Both directions use the lanes. */
        void finish();
    }

    private static final Logger LOG = LoggerFactory.getLogger(LaneFailback.class);

    private static final int FIRST = 32;
    private static final int OFFER = 0;
    private static final int READY = 1;
    private static final int REFUSED = 2;
    private static final int STAY = 3;
    private static final int BACK = 4;
    private static final int READ = 5;
    private static final int COUNT = 6;

    /** How long the lanes may take to connect. Meanwhile the data goes on. */
    private static final long CONNECT_NS = 5_000_000_000L;

    private enum Phase {
        AWAY,
        /** Listener: waits for the connector's answer. */
        OFFERED,
        /** Listener: the lanes connect. */
        CONNECTING,
        /** Connector: waits for the listener's decision. */
        PREPARED,
        /** Both sides go back. */
        GOING
    }

    private final EndpointHost host;
    private final Lanes lanes;
    private final ByteBuffer frame = ByteBuffer.allocate(1);

    private Phase phase = Phase.AWAY;
    /** The listener is to begin. */
    private boolean wanted;
    /** The connector has an offer. */
    private boolean offered;
    /** The connector has accepted. */
    private boolean accepted;
    /** Frames to send, a bit each. */
    private int due;

    private long sinceNs;
    private boolean stopped;
    private boolean peerStopped;
    private boolean reads;
    private boolean peerReads;
    private boolean writes;

    /**
     * Creates it for an endpoint that may leave its lanes.
     *
     * @param host the endpoint's
     * @param lanes what goes back
     */
    public LaneFailback(EndpointHost host, Lanes lanes) {
        this.host = host;
        this.lanes = lanes;
    }

    /**
     * Begins in the next {@link #advance}.
     *
     * @return whether it does; false if this side is not the listener's, or an attempt is under way
     */
    public boolean tryBegin() {
        if (host.isConnector() || wanted || phase != Phase.AWAY) {
            return false;
        }
        wanted = true;
        return true;
    }

    /**
     * Whether both sides go back for sure, and have not finished.
     *
     * @return whether they do
     */
    public boolean isGoing() {
        return phase == Phase.GOING;
    }

    /**
     * Whether this side writes to its lanes, though the other direction may not be back.
     *
     * @return whether it does
     */
    public boolean isWriting() {
        return writes;
    }

    /**
     * Whether the peer may have finished, and have left the new lanes.
     *
     * @return whether it may
     */
    public boolean mayPeerHaveFinished() {
        return phase == Phase.GOING && peerReads && reads;
    }

    /**
     * Whether there is nothing to do before the next frame of the peer.
     *
     * @return whether there is nothing
     */
    public boolean isIdle() {
        return due == 0
                && !wanted
                && !offered
                && !accepted
                && phase != Phase.CONNECTING
                && (phase != Phase.GOING || (stopped && (reads || !peerStopped) && (writes || !peerReads)));
    }

    /**
     * Whether the first byte of a frame is one of these.
     *
     * @param kind the byte
     * @return whether it is
     */
    public static boolean isKind(byte kind) {
        return kind >= FIRST && kind < FIRST + COUNT;
    }

    /**
     * Takes a frame whose {@linkplain #isKind kind} was read.
     *
     * @param kind the first byte of the frame
     * @param rest what follows it; untrusted
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if it makes no sense now
     */
    public void take(byte kind, ByteBuffer rest) {
        boolean listener = !host.isConnector();
        boolean sane = !rest.hasRemaining();
        switch (kind - FIRST) {
            case OFFER -> {
                sane &= !listener && phase == Phase.AWAY && !offered;
                offered = sane;
            }
            case READY -> {
                sane &= phase == Phase.OFFERED && !accepted;
                accepted = sane;
            }
            case REFUSED -> {
                sane &= phase == Phase.OFFERED && !accepted;
                if (sane) {
                    end("the peer has no lanes to go back to");
                }
            }
            case STAY -> {
                sane &= phase == Phase.PREPARED && due == 0;
                if (sane) {
                    end("the listener stays");
                }
            }
            case BACK -> {
                sane &= !peerStopped && (phase == Phase.GOING || (phase == Phase.PREPARED && due == 0));
                if (sane) {
                    peerStopped = true;
                    go();
                }
            }
            case READ -> {
                sane &= phase == Phase.GOING && isSent(BACK) && stopped && !peerReads;
                peerReads |= sane;
            }
            default -> sane = false;
        }
        if (!sane) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "frame of a return to the lanes makes no sense: endpoint=" + host.label() + ", kind=" + kind
                            + ", length=" + rest.remaining() + " bytes, state=" + phase);
        }
    }

    /**
     * Whether the peer must not send data on the control connection any more.
     *
     * @return whether that would break the rules
     */
    public boolean hasPeerStopped() {
        return peerStopped;
    }

    /**
     * Does what is due.
     *
     * @return the amount of work
     */
    public int advance() {
        int before = due;
        if (wanted) {
            wanted = false;
            begin();
        }
        if (offered) {
            offered = false;
            prepare();
        }
        if (accepted) {
            accepted = false;
            phase = Phase.CONNECTING;
            connect();
        }
        if (phase == Phase.CONNECTING) {
            decide();
        }
        boolean moved = phase == Phase.GOING && tryGo();
        if (!send() || phase != Phase.GOING || !reads || !writes) {
            return before == due && !moved ? 0 : 1;
        }
        long pauseNs = System.nanoTime() - sinceNs;
        reset();
        lanes.finish();
        host.returnedToLanes(pauseNs);
        return 1;
    }

    private void begin() {
        try {
            lanes.prepare();
        } catch (FairleadException refused) {
            end(String.valueOf(refused.getMessage()));
            return;
        }
        phase = Phase.OFFERED;
        due |= 1 << OFFER;
    }

    private void prepare() {
        try {
            lanes.prepare();
            due |= 1 << READY;
            phase = Phase.PREPARED;
            // Before the peer's first message on the lanes can arrive.
            lanes.connect();
        } catch (FairleadException refused) {
            LOG.debug("{} cannot go back to its lanes", host.label(), refused);
            lanes.abandon();
            phase = Phase.AWAY;
            due = 1 << REFUSED;
        }
    }

    private void connect() {
        sinceNs = System.nanoTime();
        try {
            lanes.connect();
        } catch (FairleadException refused) {
            stay(refused.getMessage());
        }
    }

    private void decide() {
        try {
            if (lanes.isConnected()) {
                go();
            } else if (System.nanoTime() - sinceNs > CONNECT_NS) {
                stay("the lanes do not connect within " + CONNECT_NS / 1_000_000 + " ms");
            }
        } catch (FairleadException failed) {
            stay(failed.getMessage());
        }
    }

    private void stay(@Nullable String why) {
        due |= 1 << STAY;
        end(String.valueOf(why));
    }

    private void end(String why) {
        phase = Phase.AWAY;
        lanes.abandon();
        if (!host.isConnector()) {
            host.stayedOffLanes(why);
        }
    }

    private void go() {
        if (phase != Phase.GOING) {
            phase = Phase.GOING;
            sinceNs = System.nanoTime();
        }
    }

    private boolean tryGo() {
        boolean moved = false;
        if (!stopped && lanes.tryStopSending()) {
            stopped = true;
            due |= 1 << BACK;
            moved = true;
        }
        if (peerStopped && !reads && lanes.tryReadLanes()) {
            reads = true;
            due |= 1 << READ;
            moved = true;
        }
        if (peerReads && !writes) {
            writes = true;
            lanes.writeLanes();
            moved = true;
        }
        return moved;
    }

    /** Sends what is due, in its order; false if the control connection is full. */
    private boolean send() {
        for (int kind = 0; kind < COUNT; kind++) {
            if (!isSent(kind)) {
                if (!host.trySendFrame(frame.clear().put((byte) (FIRST + kind)).flip())) {
                    return false;
                }
                due &= ~(1 << kind);
            }
        }
        return true;
    }

    private boolean isSent(int kind) {
        return (due & 1 << kind) == 0;
    }

    private void reset() {
        phase = Phase.AWAY;
        stopped = false;
        peerStopped = false;
        reads = false;
        peerReads = false;
        writes = false;
    }

    /** The endpoint has ended. */
    public void close() {
        if (phase != Phase.AWAY) {
            phase = Phase.AWAY;
            lanes.abandon();
        }
    }
}
