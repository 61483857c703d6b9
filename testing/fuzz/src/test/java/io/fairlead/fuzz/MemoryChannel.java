package io.fairlead.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;
import java.util.Set;

/** A socket without a kernel: what the peer sends is put into it, and what it takes is kept. */
public final class MemoryChannel extends SocketChannel {
    /** How much a write takes. */
    public enum Room {
        ALL,
        LITTLE,
        NONE,
        BROKEN
    }

    private static final int LITTLE = 7;

    private final int readMax;
    private final Room room;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private byte[] incoming;
    private int at;
    private boolean hasEnded;

    /** A socket that has received these bytes, and tells so many of them with each read. */
    public MemoryChannel(byte[] incoming, int readMax, Room room) {
        super(SelectorProvider.provider());
        this.incoming = incoming;
        this.readMax = readMax;
        this.room = room;
    }

    /** The peer sends more. */
    public void send(byte[] more) {
        byte[] joined = Arrays.copyOfRange(incoming, at, incoming.length + more.length);
        System.arraycopy(more, 0, joined, incoming.length - at, more.length);
        incoming = joined;
        at = 0;
    }

    /** The peer sends nothing more. */
    public void end() {
        hasEnded = true;
    }

    /** What was written since the last call. */
    public byte[] take() {
        byte[] taken = written.toByteArray();
        written.reset();
        return taken;
    }

    /** How many bytes of the peer have not been read. */
    public int left() {
        return incoming.length - at;
    }

    @Override
    public int read(ByteBuffer target) {
        if (at == incoming.length) {
            return hasEnded ? -1 : 0;
        }
        int count = Math.min(readMax, Math.min(target.remaining(), incoming.length - at));
        target.put(incoming, at, count);
        at += count;
        return count;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        int count = switch (room) {
            case ALL -> source.remaining();
            case LITTLE -> Math.min(LITTLE, source.remaining());
            case NONE -> 0;
            case BROKEN -> throw new IOException("broken by the harness");
        };
        byte[] bytes = new byte[count];
        source.get(bytes);
        written.write(bytes, 0, count);
        return count;
    }

    @Override
    public SocketChannel shutdownOutput() {
        return this;
    }

    @Override
    public SocketChannel shutdownInput() {
        return this;
    }

    @Override
    protected void implCloseSelectableChannel() {
        // There is nothing to close.
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
        // It never blocks.
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isConnectionPending() {
        return false;
    }

    @Override
    public boolean connect(SocketAddress remote) {
        return true;
    }

    @Override
    public boolean finishConnect() {
        return true;
    }

    @Override
    public SocketAddress getRemoteAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    }

    @Override
    public SocketAddress getLocalAddress() {
        return getRemoteAddress();
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) {
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
        throw unused();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return Set.of();
    }

    @Override
    public SocketChannel bind(SocketAddress local) {
        throw unused();
    }

    @Override
    public Socket socket() {
        throw unused();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        throw unused();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        throw unused();
    }

    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("nothing asks a socket for this");
    }
}
