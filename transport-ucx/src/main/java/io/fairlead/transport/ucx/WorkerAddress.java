package io.fairlead.transport.ucx;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What a worker offers in the handshake: where it runs, by which lanes it can be reached, and its UCX worker address. */
final class WorkerAddress {
    private final byte[] host;
    private final Lanes lanes;
    private final byte[] address;

    private WorkerAddress(byte[] host, Lanes lanes, byte[] address) {
        this.host = host;
        this.lanes = lanes;
        this.address = address;
    }

    static WorkerAddress of(Lanes lanes, byte[] address) {
        return new WorkerAddress(HostIdentity.bytes(), lanes, address);
    }

    /** Whether the worker runs where this process does. */
    boolean isHere() {
        return Arrays.equals(host, HostIdentity.bytes());
    }

    Lanes lanes() {
        return lanes;
    }

    /** As UCX gave it. */
    byte[] address() {
        return address;
    }

    byte[] encode() {
        return ByteBuffer.allocate(1 + 2 * Short.BYTES + host.length + address.length)
                .put(lanes.bits())
                .putShort((short) host.length)
                .put(host)
                .putShort((short) address.length)
                .put(address)
                .array();
    }

    /** Null if the bytes are no such address. */
    static @Nullable WorkerAddress decode(byte[] bytes) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            Lanes lanes = Lanes.ofBits(in.get());
            byte[] host = part(in);
            byte[] address = part(in);
            return in.hasRemaining() || address.length == 0 ? null : new WorkerAddress(host, lanes, address);
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
