package io.fairlead.transport.ucx;

import io.fairlead.spi.host.HostIdentity;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A worker's data in the handshake: its host, its lanes, its RDMA devices or why it has none, and its UCX worker
 * address.
 */
final class WorkerAddress {
    /** Fits a handful of devices, or a cause. */
    private static final int RDMA_TEXT_MAX = 240;

    /** UCX opens posix segments through {@code /proc/PID/fd}; sysv segments have the number of an IPC namespace. */
    private static final HostIdentity IDENTITY = HostIdentity.here("pid", "ipc");

    private static final byte[] NOTHING = {};

    private final long worker;
    private final byte[] host;
    private final Lanes lanes;
    private final String rdma;
    private final byte[] address;
    /** The received bytes; empty for an address of this process. */
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
     * Creates an address.
     *
     * @param worker identifies the worker among all
     * @param rdma devices or cause
     */
    static WorkerAddress of(long worker, Lanes lanes, String rdma, byte[] address) {
        String text = rdma.length() <= RDMA_TEXT_MAX ? rdma : rdma.substring(0, RDMA_TEXT_MAX) + "…";
        return new WorkerAddress(worker, IDENTITY.bytes(), lanes, text, address, NOTHING, NOTHING, true);
    }

    /** The number that identifies the worker among all. */
    long worker() {
        return worker;
    }

    /** Whether the worker runs on this host. */
    boolean isHere() {
        return IDENTITY.isSame(host);
    }

    /** Why the worker's process and this one share no memory, from the view of the listener. */
    String difference() {
        return IDENTITY.difference(host);
    }

    /** Whether a process of this host and user has created it. */
    boolean isGenuine() {
        return genuine;
    }

    /**
     * Why a forged address of this host is refused.
     *
     * @param own the role of this process in the handshake
     * @param peer the role of the worker's process
     */
    String refusal(String own, String peer) {
        String mistrust = HostSecret.here().mistrust(bytes, place, own, peer);
        return mistrust.isEmpty()
                ? "the peer's UCX address was not made by this user on this host"
                : "the peer's UCX address cannot be distinguished from a forged one: " + mistrust;
    }

    Lanes lanes() {
        return lanes;
    }

    /** The names of its RDMA devices, or why it has none. */
    String rdma() {
        return rdma;
    }

    /** The UCX address. */
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

    /** Null if the bytes are malformed. */
    static @Nullable WorkerAddress decode(byte[] bytes) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes, 0, Math.max(bytes.length - HostSecret.LENGTH, 0));
            long worker = in.getLong();
            Lanes lanes = Lanes.ofBits(in.get());
            byte[] place = new byte[HostSecret.PLACE_LENGTH];
            in.get(place);
            byte[] host = part(in);
            // The text is logged: a peer's line must stay one line.
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
