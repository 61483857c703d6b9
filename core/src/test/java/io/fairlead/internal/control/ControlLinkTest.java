package io.fairlead.internal.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.internal.net.SocketConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that has hung up, and what it said before. */
@Timeout(120)
final class ControlLinkTest {
    private final User user = new User();
    private final ControlFrameTest.Recorder recorder = new ControlFrameTest.Recorder();
    private Selector selector;
    private SocketChannel peer;
    private ControlLink link;

    @BeforeEach
    void connect() throws IOException {
        selector = Selector.open();
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel own = SocketChannel.open(listener.getLocalAddress());
            peer = listener.accept();
            own.configureBlocking(false);
            own.register(selector, SelectionKey.OP_READ);
            link = new ControlLink(user, recorder, new SocketConnection(own), selector);
        }
    }

    @AfterEach
    void close() throws IOException {
        link.close();
        peer.close();
        selector.close();
    }

    private boolean send() {
        ByteBuffer frame = ByteBuffer.allocate(ControlFrame.MAX_LENGTH);
        ControlFrame.credit(frame, 1);
        return link.send(frame.flip());
    }

    /** Until the kernel has told this side that nobody reads what it writes. */
    private void sendUntilBroken() {
        while (send()) {
            Thread.yield();
        }
    }

    @Test
    void shouldReadTheGoodbyeOfAPeerThatHasHungUp() throws Exception {
        ByteBuffer frame = ByteBuffer.allocate(ControlFrame.MAX_LENGTH);
        ControlFrame.disconnect(frame);
        ByteBuffer stream = ByteBuffer.allocate(ControlFraming.MAX_LENGTH);
        ControlFraming.wrap(frame.flip(), stream);
        peer.write(stream.flip());
        peer.close();
        sendUntilBroken();
        assertEquals(0, recorder.calls.size());
        assertEquals("", user.failure());
        assertEquals(1, user.turns);

        link.readAll();
        assertEquals(1, recorder.calls.size(), recorder.calls::toString);
        assertTrue(recorder.calls.getFirst().contains("disconnect"), recorder.calls::toString);
    }

    @Test
    void shouldFailWhereNothingWasSaid() throws Exception {
        peer.close();
        sendUntilBroken();
        assertEquals("", user.failure());
        link.readAll();
        assertTrue(user.ended || user.failure().contains("control channel broke"), user::failure);
        assertEquals(0, recorder.calls.size());
    }

    private static final class User implements ControlUser {
        private @Nullable FairleadException failure;
        private boolean ended;
        private int turns;

        private String failure() {
            return failure == null ? "" : failure.getMessage();
        }

        @Override
        public void controlReceived() {
            // No clock here.
        }

        @Override
        public void readSoon() {
            turns++;
        }

        @Override
        public void ended() {
            ended = true;
        }

        @Override
        public void lost(FairleadException cause) {
            failure = cause;
        }

        @Override
        public void fail(FairleadException cause) {
            failure = cause;
        }

        @Override
        public void failThrown(Throwable thrown) {
            throw new AssertionError(thrown);
        }

        @Override
        public String label() {
            return "#1";
        }
    }
}
