package io.fairlead.transport.ucx;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What a worker offers in the handshake: where it runs, and its UCX worker address. */
record WorkerAddress(byte[] host, byte[] address) {
    static WorkerAddress of(byte[] address) {
        return new WorkerAddress(HostIdentity.bytes(), address);
    }

    boolean sameHost(WorkerAddress other) {
        return Arrays.equals(host, other.host);
    }

    byte[] encode() {
        return ByteBuffer.allocate(2 * Short.BYTES + host.length + address.length)
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
            byte[] host = part(in);
            byte[] address = part(in);
            return in.hasRemaining() || address.length == 0 ? null : new WorkerAddress(host, address);
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
