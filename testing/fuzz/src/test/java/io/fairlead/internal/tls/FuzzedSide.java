package io.fairlead.internal.tls;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Interest;
import io.fairlead.fuzz.MemoryChannel;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.spi.security.SecureEngine;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One side of TLS over a socket in memory, whose tasks run at once, and how it has ended. */
final class FuzzedSide implements AutoCloseable {
    final MemoryChannel channel;
    final TlsHandshake handshake;
    private TlsHandshake.Step step = TlsHandshake.Step.WAITING;
    private @Nullable Exception failure;

    FuzzedSide(SecureEngine engine, MemoryChannel channel) {
        this.channel = channel;
        this.handshake = new TlsHandshake(
                new TlsEngine(engine, new SocketConnection(channel), "127.0.0.1:1"),
                new Interest(channel),
                (task, then) -> {
                    task.run();
                    then.run();
                },
                () -> {});
    }

    /** Goes on with the handshake; what it refuses has to be told in one line. */
    void advance() {
        if (hasEnded()) {
            return;
        }
        try {
            step = handshake.advance();
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.UNTRUSTED, Reason.PROTOCOL_VIOLATION, Reason.PEER_LOST);
            failure = refused;
        } catch (IOException broken) {
            failure = broken;
        }
    }

    boolean isDone() {
        return step == TlsHandshake.Step.DONE;
    }

    boolean isNotTls() {
        return step == TlsHandshake.Step.NOT_TLS;
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** Whether the handshake is done, has failed, or is not one. */
    boolean hasEnded() {
        return failure != null || step != TlsHandshake.Step.WAITING;
    }

    /** As whoever holds a handshake does that has ended. */
    @Override
    public void close() {
        handshake.connection().close();
        handshake.connection().close();
    }
}
