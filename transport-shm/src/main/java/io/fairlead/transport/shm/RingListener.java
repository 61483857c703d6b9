package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Descriptors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket over which peers pass their rings to the endpoints of this worker. A peer has passed its ring before its
 * next message on the control connection, so this side finds it and never waits.
 *
 * <p>Every process of the network namespace can connect. Packets without the worker's token are dropped at once, and
 * what waits is bounded in number and time. A packet is only believed with the {@link RingSeal} of the connection that
 * it is for.
 */
final class RingListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RingListener.class);

    private static final int BACKLOG_MAX = 1024;
    private static final int ACCEPTED_PER_CALL = 2 * BACKLOG_MAX;
    /** Connections without a packet, and as many packets, whose senders know the token. */
    static final int PENDING_MAX = 128;

    private static final long PACKET_MAX_NS = 60_000_000_000L;
    /** A peer sends as soon as it has connected. */
    private static final long SILENT_MAX_NS = 10_000_000_000L;

    private static final long EXPIRY_INTERVAL_NS = 1_000_000_000;

    private final SocketId id;
    private final byte[] token = SocketId.randomBytes(WorkerAddress.TOKEN_LENGTH);
    private final SharingRule rule;
    private final LongSupplier clock;
    private final SocketPlace.Listening listening;
    /** The oldest first. */
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    /** The rings that have not arrived, by the numbers of the endpoints that expect them. */
    private final Map<Integer, PassedRing> awaited = new HashMap<>();
    /** The time of the next expiry. */
    private long expiryNs;

    /** For {@code poll(2)}. */
    private final MemorySegment polled = Arena.ofAuto().allocate(JAVA_LONG);

    /**
     * Listens.
     *
     * @param rule whose rings are taken
     * @throws IOException if the kernel refuses
     */
    RingListener(SocketPlace place, SharingRule rule) throws IOException {
        this(place, rule, System::nanoTime);
    }

    /** The same with a clock, in nanoseconds. */
    RingListener(SocketPlace place, SharingRule rule, LongSupplier clock) throws IOException {
        this.rule = rule;
        this.clock = clock;
        this.expiryNs = clock.getAsLong();
        this.id = SocketId.random();
        this.listening = place.listen(id, BACKLOG_MAX);
    }

    /** A connection whose packet has not arrived, or a packet that no endpoint expects yet. */
    private static final class Pending {
        final LocalSocket socket;
        final long sinceNs;
        /** Null until it arrives. */
        LocalSocket.@Nullable Packet packet;

        Pending(LocalSocket socket, long sinceNs) {
            this.socket = socket;
            this.sinceNs = sinceNs;
        }

        void close() {
            socket.close();
            if (packet != null) {
                packet.close();
            }
        }
    }

    SocketId id() {
        return id;
    }

    byte[] token() {
        return token;
    }

    /**
     * An endpoint expects the ring of its peer, until it has {@linkplain #take taken} it or {@linkplain #forget ends}. A connector's
     * may have arrived by now.
     */
    PassedRing await(int endpointId, RingSeal seal) {
        PassedRing ring = new PassedRing(endpointId, seal);
        awaited.put(endpointId, ring);
        pending.removeIf(one -> {
            LocalSocket.Packet packet = one.packet;
            return packet != null && isTaken(packet);
        });
        return ring;
    }

    /** The endpoint has ended. A ring that waits in the queue would wait for nobody. */
    void forget(PassedRing ring) {
        if (ring.equals(awaited.get(ring.receiver()))) {
            try {
                look(ring);
            } catch (IOException | FairleadException refused) {
                LOG.debug("a passed ring cannot be accepted", refused);
            }
            awaited.remove(ring.receiver(), ring);
        }
        ring.close();
    }

    /**
     * The ring of an endpoint.
     *
     * @return the address of its memory, the caller's; 0 if none was passed
     * @throws IOException if the kernel refuses, or it cannot be mapped
     * @throws FairleadException {@code LIMIT_REACHED} if too few descriptors are left to look for it
     */
    long take(PassedRing ring) throws IOException {
        look(ring);
        return ring.take();
    }

    private void look(PassedRing ring) throws IOException {
        long nowNs = clock.getAsLong();
        endOver(nowNs);
        for (int i = 0; !ring.hasArrived() && i < ACCEPTED_PER_CALL; i++) {
            int free = Descriptors.free();
            if (free <= 1) {
                // The last one is for refusing the peers behind.
                throw new FairleadException(
                        Reason.LIMIT_REACHED, "no ring can be taken: " + Descriptors.shortage(free));
            }
            if (!acceptOne(nowNs)) {
                break;
            }
        }
    }

    /** Whether a packet has gone to the endpoint that expects it. */
    private boolean isTaken(LocalSocket.Packet packet) {
        PassedRing ring = awaited.get(RingSeal.receiver(packet.bytes()));
        if (ring == null || !ring.isIn(packet.bytes())) {
            return false;
        }
        awaited.remove(ring.receiver());
        ring.arrive(packet);
        return true;
    }

    /** Drops what has waited too long, at most once a second. */
    void expire() {
        long nowNs = clock.getAsLong();
        if (nowNs - expiryNs < 0) {
            return;
        }
        expiryNs = nowNs + EXPIRY_INTERVAL_NS;
        listening.socket().writePolled(polled, 0);
        if (pending.isEmpty() && !Libc.isAnyReady(polled, 1)) {
            // An accept in vain would allocate.
            return;
        }
        try {
            accept();
        } catch (IOException refused) {
            LOG.debug("passed rings cannot be accepted", refused);
        }
    }

    /**
     * Takes what has arrived, so strangers cannot fill the queue of the socket for long. It leaves descriptors for
     * those that are expected: what waits in the queue holds none.
     */
    void accept() throws IOException {
        long nowNs = clock.getAsLong();
        try {
            for (int i = 0;
                    i < ACCEPTED_PER_CALL && Descriptors.free() > 2 * Descriptors.RESERVE && acceptOne(nowNs);
                    i++) {}
        } finally {
            endOver(nowNs);
        }
    }

    /** Accepts one connection; false if none waits, or none may be accepted now. */
    private boolean acceptOne(long nowNs) throws IOException {
        LocalSocket accepted =
                ReceivedFiles.isFull() ? null : listening.socket().accept();
        if (accepted == null) {
            return false;
        }
        Pending one = new Pending(accepted, nowNs);
        if (rule.allows(accepted) && isKept(one, nowNs)) {
            makeRoom(one);
            pending.add(one);
        } else {
            one.close();
        }
        return true;
    }

    /** Receives from those whose packet has not arrived, and ends those that have waited too long. */
    private void endOver(long nowNs) {
        pending.removeIf(one -> {
            boolean over = !isKept(one, nowNs);
            if (over) {
                one.close();
            }
            return over;
        });
    }

    /** Makes room: the oldest of the same kind goes, so that strangers take no place of a packet. */
    private void makeRoom(Pending added) {
        boolean isPacket = added.packet != null;
        int count = 0;
        Pending oldest = null;
        for (Pending one : pending) {
            if ((one.packet != null) == isPacket) {
                oldest = oldest == null ? one : oldest;
                count++;
            }
        }
        if (oldest != null && count >= PENDING_MAX) {
            pending.remove(oldest);
            oldest.close();
        }
    }

    private boolean isKept(Pending one, long nowNs) {
        if (one.packet != null) {
            return nowNs - one.sinceNs < PACKET_MAX_NS;
        }
        if (ReceivedFiles.isFull()) {
            // Neither received from nor ended: both may add to what waits. No other one is accepted meanwhile.
            return true;
        }
        try {
            LocalSocket.Packet packet = one.socket.receive(RingSeal.PACKET_LENGTH);
            if (packet == null) {
                return nowNs - one.sinceNs < SILENT_MAX_NS;
            }
            one.packet = packet;
            one.socket.close();
            if (!isMeantForThis(packet)) {
                return false;
            }
            if (isTaken(packet)) {
                one.packet = null;
                return false;
            }
            return true;
        } catch (IOException ended) {
            // A peer that only tries whether this side answers closes its socket at once.
            return false;
        }
    }

    private boolean isMeantForThis(LocalSocket.Packet packet) {
        return packet.descriptor() >= 0
                && packet.bytes().length == RingSeal.PACKET_LENGTH
                && MessageDigest.isEqual(RingSeal.token(packet.bytes()), token);
    }

    @Override
    public void close() {
        CloseSteps.runAll(listening::close, () -> CloseSteps.runEach(pending, Pending::close), pending::clear);
    }
}
