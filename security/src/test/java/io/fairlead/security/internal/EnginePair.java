package io.fairlead.security.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/** The two ends of a connection in memory. */
final class EnginePair {
    private static final int CAPACITY = 256 << 10;
    private static final int TURNS_MAX = 1000;

    /** One end, and what has arrived there. */
    private static final class End {
        private final SSLEngine engine;
        private final ByteBuffer arrived = ByteBuffer.allocate(CAPACITY).limit(0);
        private final ByteBuffer received = ByteBuffer.allocate(CAPACITY);
        private String failure = "";

        End(SSLEngine engine) {
            this.engine = engine;
        }

        /** Takes what has come, does its tasks, and says what it has to say; false if there was nothing to do. */
        boolean turn(End peer) {
            boolean busy = false;
            Runnable task = engine.getDelegatedTask();
            while (task != null) {
                task.run();
                task = engine.getDelegatedTask();
                busy = true;
            }
            if (arrived.hasRemaining() && !engine.isInboundDone() && failure.isEmpty()) {
                int before = arrived.remaining();
                try {
                    engine.unwrap(arrived, received);
                } catch (SSLException refused) {
                    failure = text(refused);
                }
                busy |= arrived.remaining() < before || !failure.isEmpty();
            }
            return say(peer, ByteBuffer.allocate(0)) || busy;
        }

        boolean say(End peer, ByteBuffer what) {
            peer.arrived.compact();
            int before = peer.arrived.position();
            try {
                SSLEngineResult result = engine.wrap(what, peer.arrived);
                while (what.hasRemaining() && result.getStatus() == SSLEngineResult.Status.OK) {
                    result = engine.wrap(what, peer.arrived);
                }
            } catch (SSLException refused) {
                if (failure.isEmpty()) {
                    failure = text(refused);
                }
            }
            int said = peer.arrived.position() - before;
            peer.arrived.flip();
            return said > 0;
        }

        private static String text(Throwable thrown) {
            StringBuilder text = new StringBuilder();
            for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
                text.append(cause.getMessage()).append('\n');
            }
            return text.toString();
        }
    }

    private final End connector;
    private final End listener;

    private EnginePair(SSLEngine connector, SSLEngine listener) {
        this.connector = new End(connector);
        this.listener = new End(listener);
    }

    /** Lets both talk until neither has anything to say. */
    static EnginePair shake(SSLEngine connector, SSLEngine listener) throws SSLException {
        EnginePair pair = new EnginePair(connector, listener);
        connector.beginHandshake();
        listener.beginHandshake();
        pair.settle();
        return pair;
    }

    private void settle() {
        int quiet = 0;
        for (int turn = 0; quiet < 2; turn++) {
            if (turn > TURNS_MAX) {
                fail("the engines talk without end");
            }
            boolean busy = connector.turn(listener);
            busy |= listener.turn(connector);
            quiet = busy ? 0 : quiet + 1;
        }
    }

    /** Fails with both reasons unless both ends are through. */
    EnginePair assertConnected() throws SSLException {
        assertEquals("", connector.failure + listener.failure);
        assertEquals("hello", pass(connector, listener, "hello"));
        assertEquals("hello back", pass(listener, connector, "hello back"));
        return this;
    }

    private String pass(End from, End to, String text) {
        to.received.clear();
        from.say(to, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        settle();
        to.received.flip();
        return StandardCharsets.UTF_8.decode(to.received).toString();
    }

    /** What the connector's end failed with, causes included; fails if it did not. */
    String connectorFailure() {
        assertTrue(!connector.failure.isEmpty(), () -> "the connector did not fail; the listener: " + listener.failure);
        return connector.failure;
    }

    /** What the listener's end failed with, causes included; fails if it did not. */
    String listenerFailure() {
        assertTrue(!listener.failure.isEmpty(), () -> "the listener did not fail; the connector: " + connector.failure);
        return listener.failure;
    }
}
