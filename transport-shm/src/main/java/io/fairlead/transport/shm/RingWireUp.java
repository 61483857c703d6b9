package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.HmacKey;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What the two ends of a connection give each other in the handshake: a ring by {@link LocalSocket}, and on the control
 * connection where each serves its regions, and whether it may leave its rings later. An endpoint that has begun keeps nothing
 * of it.
 */
final class RingWireUp {
    /** The number of this connection at the server of this side's regions, and where that listens. */
    private static final int LENGTH = Long.BYTES + SocketId.LENGTH;
    /** Behind that: this side may leave the rings, if the peer may. */
    private static final byte MAY_LEAVE = 1;

    private final SharedParts transport;
    private final EndpointHost host;
    /** The number of the connection at the server of this side's regions. */
    private final long admission;

    private final RingPassing rings;

    /**
     * Makes a ring, and passes it to the peer.
     *
     * @param key the connection's, for passing descriptors
     * @param singleCopy whether the peer's process may be read
     * @param token what the peer's {@link RingListener} expects
     * @param socket to that
     * @throws FairleadException {@code LIMIT_REACHED} if there is no memory or no descriptor for the ring
     * @throws IOException if the peer does not take the ring
     */
    RingWireUp(
            RingSlots slots,
            RingListener listener,
            SharedParts transport,
            EndpointHost host,
            HmacKey key,
            boolean singleCopy,
            byte[] token,
            LocalSocket socket)
            throws IOException {
        this.transport = transport;
        this.host = host;
        this.rings = new RingPassing(slots, listener, host, new RingSeal(host, key), singleCopy, token, socket);
        try {
            this.admission = transport.regions().admit(key);
        } catch (RuntimeException | Error failure) {
            rings.giveBack();
            rings.forget();
            throw failure;
        }
    }

    /** The ring that this side reads; the caller gives it back. */
    RingSlots.Slot slot() {
        return rings.slot();
    }

    /** The number of the connection at the server of this side's regions; the caller ends it. */
    long admission() {
        return admission;
    }

    /** What the peer gets on the control connection. */
    byte[] data() {
        boolean mayLeave = host.mayLeaveLanes();
        ByteBuffer data = ByteBuffer.allocate(mayLeave ? LENGTH + 1 : LENGTH)
                .putLong(admission)
                .put(transport.regions().id().bytes());
        if (mayLeave) {
            data.put(MAY_LEAVE);
        }
        return data.array();
    }

    /**
     * Opens the peer's ring.
     *
     * @param data of the peer; untrusted
     * @return a {@link KeptRing} if both sides may leave it
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if the data are malformed; {@code LIMIT_REACHED}, as
     *     {@link RingListener#take}
     * @throws IOException if the peer has passed no ring, or what it has passed cannot be mapped
     */
    PeerRing open(byte[] data) throws IOException {
        boolean peerMayLeave = data.length == LENGTH + 1 && data[LENGTH] == MAY_LEAVE;
        if (data.length != LENGTH && !peerMayLeave) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "shm data of the handshake is malformed: endpoint=" + host.label() + ", length=" + data.length
                            + ", expected=" + LENGTH + " bytes");
        }
        long slab = rings.takePassed();
        try {
            return peerMayLeave && host.mayLeaveLanes() ? KeptRing.open(host, slab) : PeerRing.open(host, slab);
        } catch (RuntimeException | Error failure) {
            MemoryFile.unmapOther(slab, RingSlots.SLAB_SIZE);
            throw failure;
        }
    }

    /** Asks for the regions of the peer that has sent these data. */
    static RegionClient regions(HmacKey key, SocketPlace place, byte[] data) {
        ByteBuffer in = ByteBuffer.wrap(data);
        long connection = in.getLong();
        return new RegionClient(key, place, SocketId.read(in), connection);
    }

    /** The endpoint has ended before it has begun. */
    void close() {
        rings.forget();
    }
}
