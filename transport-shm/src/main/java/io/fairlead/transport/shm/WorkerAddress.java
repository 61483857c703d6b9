package io.fairlead.transport.shm;

import io.fairlead.spi.host.HostFiles;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A worker's data in the handshake: the boot of its kernel, the id of its {@link RingListener} and the token that this
 * one expects, and the {@link ReachProbe} of its process. It is untrusted: the listener of the handshake connects to the
 * socket, and each ring is {@linkplain RingSeal sealed} for the connection.
 *
 * @param probeAddress where the probe is in the worker's process
 * @param probeValue what is there
 * @param token what a peer must show the socket
 * @param socket the socket
 * @param isInFolder whether that is in a {@linkplain SocketPlace folder}
 * @param boot the boot of the kernel
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record WorkerAddress(
        long probeAddress, long probeValue, byte[] token, SocketId socket, boolean isInFolder, byte[] boot) {
    static final int TOKEN_LENGTH = 16;

    private static final byte[] BOOT = new HostFiles(Path.of("/"))
            .text("/proc/sys/kernel/random/boot_id")
            .orElseGet(() -> "unreadable-" + UUID.randomUUID())
            .getBytes(StandardCharsets.UTF_8);

    private static final int BOOT_MAX = 128;

    static byte[] encode(ReachProbe probe, byte[] token, SocketId socket, boolean isInFolder) {
        return ByteBuffer.allocate(2 * Long.BYTES + TOKEN_LENGTH + SocketId.LENGTH + 1 + BOOT.length)
                .putLong(probe.address())
                .putLong(probe.value())
                .put(token)
                .put(socket.bytes())
                .put((byte) (isInFolder ? 1 : 0))
                .put(BOOT)
                .array();
    }

    /** Null if the bytes are malformed. */
    static @Nullable WorkerAddress decode(byte[] bytes) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            long address = in.getLong();
            long value = in.getLong();
            byte[] token = new byte[TOKEN_LENGTH];
            in.get(token);
            SocketId socket = SocketId.read(in);
            byte folder = in.get();
            if (in.remaining() > BOOT_MAX || folder < 0 || folder > 1) {
                return null;
            }
            byte[] boot = new byte[in.remaining()];
            in.get(boot);
            return new WorkerAddress(address, value, token, socket, folder == 1, boot);
        } catch (BufferUnderflowException tooShort) {
            return null;
        }
    }

    /** Whether the worker claims to run on this host. */
    boolean isHere() {
        return Arrays.equals(boot, BOOT);
    }

    /** Omits the token. */
    @Override
    public String toString() {
        return "WorkerAddress[socket=" + socket + "]";
    }
}
