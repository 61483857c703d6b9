package io.fairlead.transport.shm;

import io.fairlead.spi.host.HostIdentity;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A worker's data in the handshake: its host, namespace and user, and the {@link ReachProbe} of its process. It is
 * untrusted. The listener tries to access the probe, and each {@linkplain RingOffer ring} proves that its memory
 * belongs to the peer.
 */
final class WorkerAddress {
    /** Files are found through {@code /proc/PID/fd}, so a process id must refer to the same process on both sides. */
    static final HostIdentity IDENTITY = HostIdentity.here("pid");

    private static final int HOST_MAX = 512;

    private final byte[] host;
    private final long probeAddress;
    private final byte[] probe;

    private WorkerAddress(byte[] host, long probeAddress, byte[] probe) {
        this.host = host;
        this.probeAddress = probeAddress;
        this.probe = probe;
    }

    static byte[] encode(ReachProbe probe) {
        byte[] host = IDENTITY.bytes();
        return ByteBuffer.allocate(Long.BYTES + MemoryFile.KEY_LENGTH + host.length)
                .putLong(probe.address())
                .put(probe.key())
                .put(host)
                .array();
    }

    /** Null if the bytes are malformed. */
    static @Nullable WorkerAddress decode(byte[] bytes) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            long address = in.getLong();
            byte[] probe = new byte[MemoryFile.KEY_LENGTH];
            in.get(probe);
            if (in.remaining() > HOST_MAX || !MemoryFile.isOfProcess(probe)) {
                return null;
            }
            byte[] host = new byte[in.remaining()];
            in.get(host);
            return new WorkerAddress(host, address, probe);
        } catch (BufferUnderflowException tooShort) {
            return null;
        }
    }

    /** Whether the worker claims to run on this host. */
    boolean isHere() {
        return IDENTITY.isSame(host);
    }

    /** Why the worker's process and this one share no memory, from the view of the listener. */
    String difference() {
        return IDENTITY.difference(host);
    }

    byte[] probe() {
        return probe;
    }

    long probeAddress() {
        return probeAddress;
    }

    /** Its process id. */
    int process() {
        return MemoryFile.process(probe);
    }
}
