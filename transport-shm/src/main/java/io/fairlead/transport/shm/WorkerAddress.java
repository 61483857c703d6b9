package io.fairlead.transport.shm;

import io.fairlead.spi.host.HostIdentity;
import io.fairlead.spi.host.HostSecret;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What a worker offers in the handshake: which host, namespace and user it is of, where its user's secret is, and its process's {@link ReachProbe}. */
final class WorkerAddress {
    /** Files are found through {@code /proc/PID/fd}, so that a number has to mean the same process to both. */
    static final HostIdentity IDENTITY = HostIdentity.here("pid");

    private static final int HOST_MAX = 512;

    private final byte[] host;
    private final long probeAddress;
    private final byte[] probe;
    /** As it came. */
    private final byte[] bytes;

    private final byte[] place;
    private final boolean genuine;

    private WorkerAddress(byte[] bytes, byte[] place, byte[] host, long probeAddress, byte[] probe, boolean genuine) {
        this.bytes = bytes;
        this.place = place;
        this.host = host;
        this.probeAddress = probeAddress;
        this.probe = probe;
        this.genuine = genuine;
    }

    /** Signed anew each time, because the secret may have changed. */
    static byte[] encode(ReachProbe probe) {
        byte[] host = IDENTITY.bytes();
        return HostSecret.here()
                .withSignature(
                        ByteBuffer.allocate(Long.BYTES + MemoryFile.KEY_LENGTH + HostSecret.PLACE_LENGTH + host.length)
                                .putLong(probe.address())
                                .put(probe.key())
                                .put(HostSecret.here().place())
                                .put(host)
                                .array());
    }

    /** Null if the bytes are no such address. */
    static @Nullable WorkerAddress decode(byte[] bytes) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes, 0, Math.max(bytes.length - HostSecret.LENGTH, 0));
            long address = in.getLong();
            byte[] probe = new byte[MemoryFile.KEY_LENGTH];
            in.get(probe);
            byte[] place = new byte[HostSecret.PLACE_LENGTH];
            in.get(place);
            if (in.remaining() > HOST_MAX) {
                return null;
            }
            byte[] host = new byte[in.remaining()];
            in.get(host);
            boolean genuine = HostSecret.here().signed(bytes);
            return new WorkerAddress(bytes, place, host, address, probe, genuine);
        } catch (BufferUnderflowException tooShort) {
            return null;
        }
    }

    /** Whether the worker runs where this process does. */
    boolean isHere() {
        return IDENTITY.isSame(host);
    }

    /** Why the worker's process and this one share no memory, where this is the listener's. */
    String difference() {
        return IDENTITY.difference(host);
    }

    /** Whether a process of this host and user has made it. */
    boolean isGenuine() {
        return genuine;
    }

    /**
     * Why an address of this host that is not genuine is refused.
     *
     * @param own what this process is in the handshake
     * @param peer what the worker's process is
     */
    String refusal(String own, String peer) {
        String mistrust = HostSecret.here().mistrust(bytes, place, own, peer);
        return mistrust.isEmpty()
                ? "the peer's shm address was not made by this user on this host"
                : "the peer's shm address cannot be told from a made-up one: " + mistrust;
    }

    byte[] probe() {
        return probe;
    }

    long probeAddress() {
        return probeAddress;
    }

    /** The number of its process. */
    int process() {
        return MemoryFile.process(probe);
    }
}
