package io.fairlead.transport.shm;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The random id of a socket that a process listens with. It is not secret: every process of the network namespace, or of
 * the folder, can list it.
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record SocketId(byte[] bytes) {
    static final int LENGTH = 16;

    private static final SecureRandom RANDOM = new SecureRandom();

    static SocketId random() {
        return new SocketId(randomBytes(LENGTH));
    }

    static byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** Reads an id; {@link java.nio.BufferUnderflowException} if it is cut off. */
    static SocketId read(ByteBuffer in) {
        byte[] bytes = new byte[LENGTH];
        in.get(bytes);
        return new SocketId(bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
