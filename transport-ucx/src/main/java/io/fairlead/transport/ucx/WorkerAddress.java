package io.fairlead.transport.ucx;

import io.fairlead.spi.host.HostIdentity;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a worker offers in the handshake: where it runs, by which lanes it can be reached, its RDMA devices or why it has none,
 * and its UCX worker address.
 */
final class WorkerAddress {
    /** Room for a handful of devices, or for a cause. */
    private static final int RDMA_TEXT_MAX = 240;

    /** UCX opens segments of posix through {@code /proc/PID/fd}; those of sysv have the number of an IPC namespace. */
    private static final HostIdentity IDENTITY = HostIdentity.here("pid", "ipc");

    private static final byte[] NOTHING = {};

    private final long worker;
    private final byte[] host;
    private final Lanes lanes;
    private final String rdma;
    private final byte[] address;
    /** As it came; empty for one of this process. */
    private final byte[] bytes;

    private final byte[] place;
    private final boolean genuine;

    private WorkerAddress(
            long worker,
            byte[] host,
            Lanes lanes,
            String rdma,
            byte[] address,
            byte[] bytes,
            byte[] place,
            boolean genuine) {
        this.bytes = bytes;
        this.place = place;
        this.worker = worker;
        this.host = host;
        this.lanes = lanes;
        this.rdma = rdma;
        this.address = address;
        this.genuine = genuine;
    }

    /**
     * An address.
     *
     * @param worker tells the worker from all others
     * @param rdma devices or cause
     */
    static WorkerAddress of(long worker, Lanes lanes, String rdma, byte[] address) {
        String text = rdma.length() <= RDMA_TEXT_MAX ? rdma : rdma.substring(0, RDMA_TEXT_MAX) + "…";
        return new WorkerAddress(worker, IDENTITY.bytes(), lanes, text, address, NOTHING, NOTHING, true);
    }

    /** Which worker it is, among all. */
    long worker() {
        return worker;
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
                ? "the peer's UCX address was not made by this user on this host"
                : "the peer's UCX address cannot be told from a made-up one: " + mistrust;
    }

    Lanes lanes() {
        return lanes;
    }

    /** The names of its RDMA devices, or why it has none. */
    String rdma() {
        return rdma;
    }

    /** As UCX gave it. */
    byte[] address() {
        return address;
    }

    byte[] encode() {
        byte[] text = rdma.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = ByteBuffer.allocate(Long.BYTES
                        + 1
                        + HostSecret.PLACE_LENGTH
                        + 3 * Short.BYTES
                        + host.length
                        + text.length
                        + address.length)
                .putLong(worker)
                .put(lanes.bits())
                .put(HostSecret.here().place())
                .putShort((short) host.length)
                .put(host)
                .putShort((short) text.length)
                .put(text)
                .putShort((short) address.length)
                .put(address)
                .array();
        return HostSecret.here().withSignature(bytes);
    }

    /** Null if the bytes are no such address. */
    static @Nullable WorkerAddress decode(byte[] bytes) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes, 0, Math.max(bytes.length - HostSecret.LENGTH, 0));
            long worker = in.getLong();
            Lanes lanes = Lanes.ofBits(in.get());
            byte[] place = new byte[HostSecret.PLACE_LENGTH];
            in.get(place);
            byte[] host = part(in);
            // It goes into logs, where a line of a peer's must stay one.
            String rdma = new String(part(in), StandardCharsets.UTF_8).replaceAll("\\p{Cc}", "?");
            byte[] address = part(in);
            return in.hasRemaining() || address.length == 0
                    ? null
                    : new WorkerAddress(
                            worker,
                            host,
                            lanes,
                            rdma,
                            address,
                            bytes,
                            place,
                            HostSecret.here().signed(bytes));
        } catch (BufferUnderflowException tooShort) {
            return null;
        }
    }

    private static byte[] part(ByteBuffer in) {
        byte[] part = new byte[Math.min(Short.toUnsignedInt(in.getShort()), in.remaining() + 1)];
        in.get(part);
        return part;
    }
}
