package io.fairlead.internal.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.spi.Selectable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LingeringSocketsTest {
    private static final long TIMEOUT_NS = 1_000_000_000;
    private static final int MAX = 3;

    private final List<SocketChannel> channels = new ArrayList<>();
    private Selector selector;
    private ServerSocketChannel server;
    private LingeringSockets sockets;
    /** The peer of the socket that was opened last. */
    private SocketChannel peer;

    @BeforeEach
    void open() throws IOException {
        selector = Selector.open();
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        sockets = new LingeringSockets(selector, MAX, TIMEOUT_NS);
    }

    @AfterEach
    void close() throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
        server.close();
        selector.close();
    }

    @Test
    void shouldGiveThePeerAllThatWasWrittenThoughMoreOfItsOwnIsUnread() throws IOException {
        SocketChannel closing = newSocket();
        peer.write(ByteBuffer.allocate(10_000));
        int written = 0;
        for (int count = 1; count > 0; written += count) {
            count = closing.write(ByteBuffer.allocate(1 << 20));
        }
        sockets.add(new SocketConnection(closing), 0);
        int read = 0;
        ByteBuffer target = ByteBuffer.allocate(1 << 16);
        for (int count = 0; count >= 0; read += Math.max(count, 0)) {
            peer.write(ByteBuffer.allocate(1));
            poll();
            count = peer.read(target.clear());
        }
        assertEquals(written, read);
        assertTrue(closing.isOpen(), "closed before its peer has hung up");
    }

    @Test
    void shouldCloseWhenThePeerHangsUp() throws IOException {
        SocketChannel closing = newSocket();
        sockets.add(new SocketConnection(closing), 0);
        assertFalse(sockets.isEmpty());
        peer.close();
        while (!sockets.isEmpty()) {
            poll();
        }
        assertFalse(closing.isOpen());
    }

    @Test
    void shouldCloseWhenItsTimeIsOverThoughThePeerGoesOnSending() throws IOException {
        SocketChannel closing = newSocket();
        peer.configureBlocking(false);
        sockets.add(new SocketConnection(closing), 5);
        for (int i = 0; i < 100; i++) {
            peer.write(ByteBuffer.allocate(1 << 16));
            poll();
        }
        sockets.expire(5 + TIMEOUT_NS - 1);
        assertTrue(closing.isOpen());
        sockets.expire(5 + TIMEOUT_NS);
        assertFalse(closing.isOpen());
        assertTrue(sockets.isEmpty());
    }

    @Test
    void shouldCloseTheOldestBeyondItsMost() throws IOException {
        List<SocketChannel> closing = new ArrayList<>();
        for (int i = 0; i <= MAX; i++) {
            closing.add(newSocket());
            sockets.add(new SocketConnection(closing.get(i)), i);
        }
        assertEquals(
                List.of(false, true, true, true),
                closing.stream().map(SocketChannel::isOpen).toList());
    }

    @Test
    void shouldCloseAtOnceWhatIsBrokenOrHasNoTime() throws IOException {
        SocketChannel hungUp = newSocket();
        hungUp.shutdownOutput();
        peer.close();
        sockets.add(new SocketConnection(hungUp), 0);
        assertThrows(IOException.class, () -> hungUp.read(ByteBuffer.allocate(1)));
        SocketChannel closing = newSocket();
        new LingeringSockets(selector, MAX, 0).add(new SocketConnection(closing), 0);
        assertFalse(closing.isOpen());
        assertTrue(sockets.isEmpty());
    }

    private SocketChannel newSocket() throws IOException {
        SocketChannel made = SocketChannel.open(server.getLocalAddress());
        peer = server.accept();
        channels.add(made);
        channels.add(peer);
        made.configureBlocking(false);
        made.register(selector, SelectionKey.OP_READ);
        return made;
    }

    private void poll() throws IOException {
        selector.selectNow(LingeringSocketsTest::dispatch);
    }

    private static void dispatch(SelectionKey key) {
        if (key.attachment() instanceof Selectable selectable) {
            selectable.ready(key);
        }
    }
}
