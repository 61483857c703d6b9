package io.fairlead.internal.handshake;

import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.internal.handshake.HandshakeMessage.Hello;
import io.fairlead.internal.handshake.HandshakeMessage.Welcome;
import io.fairlead.internal.memory.KeySecret;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Messages as real cores would send them, and frames that no core would. */
final class WireSamples {
    private WireSamples() {}

    static Hello hello() {
        return hello(0, KeySecret.NONE);
    }

    static Hello hello(long token, KeySecret keySecret) {
        return new Hello(
                1,
                1,
                0,
                0x1122334455667788L,
                "cache-7",
                42,
                1 << 20,
                1 << 16,
                PathPolicy.AUTO,
                List.of(new Offer("tcp", "1", new byte[] {1, 2, 3}), new Offer("ucx", "1.13", new byte[300])),
                new byte[] {9},
                0,
                token,
                keySecret);
    }

    static Welcome welcome() {
        return welcome(0, KeySecret.NONE);
    }

    static Welcome welcome(long token, KeySecret keySecret) {
        return new Welcome(
                1,
                0x99L,
                "feed-1",
                7,
                1 << 20,
                1 << 16,
                "ucx",
                new byte[] {4, 5},
                PathClass.SHARED_MEMORY,
                "memory",
                List.of("posix", "cma"),
                PathCause.FASTEST,
                "shared memory is the fastest path that both sides have",
                new byte[] {8, 8},
                0,
                token,
                keySecret,
                new byte[0]);
    }

    static Hello with(Hello hello, int versionMin, int versionMax, int security) {
        return new Hello(
                versionMin,
                versionMax,
                security,
                hello.incarnation(),
                hello.name(),
                hello.sourceId(),
                hello.creditBytes(),
                hello.eagerMax(),
                hello.policy(),
                hello.offers(),
                hello.auth());
    }

    /** A frame with any body. */
    static ByteBuffer frame(int type, ByteBuffer body) {
        return ByteBuffer.allocate(HandshakeCodec.HEADER_LENGTH + body.remaining())
                .putInt(HandshakeCodec.MAGIC)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) type)
                .put(new byte[3])
                .putInt(body.remaining())
                .put(body)
                .flip();
    }

    /** The frame with bytes behind its last field, and a length that says so. */
    static ByteBuffer append(ByteBuffer frame, int count) {
        ByteBuffer body = ByteBuffer.allocate(frame.remaining() - HandshakeCodec.HEADER_LENGTH + count);
        body.put(frame.slice(HandshakeCodec.HEADER_LENGTH, frame.remaining() - HandshakeCodec.HEADER_LENGTH));
        return frame(frame.get(4), body.clear());
    }

    static ByteBuffer copy(ByteBuffer frame) {
        return ByteBuffer.allocate(frame.remaining()).put(frame.duplicate()).flip();
    }
}
