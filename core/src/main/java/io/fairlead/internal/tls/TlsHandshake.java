package io.fairlead.internal.tls;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.security.SecureEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Establishes the security of a connection: the TLS handshake, and the proof of a shared secret if there is one. The
 * selector's interest set has the awaited event, and nothing while the engine's tasks run on other threads.
 */
public final class TlsHandshake {
    private static final Logger LOG = LoggerFactory.getLogger(TlsHandshake.class);

    /** The maximum bytes of a peer's handshake: longer than any sensible certificates. */
    private static final int BYTES_MAX = 256 << 10;
    /** The exporter's label of the secret from which both ends derive the keys of their paths. */
    private static final String PATHS_LABEL = "EXPORTER-fairlead-paths";

    private static final int PATH_SECRET = 32;
    private static final String COMPARE_SECRETS = "compare what security.shared-secret-file names at both";
    private static final byte[] NO_CONTEXT = new byte[0];

    /** The state of the handshake. */
    public enum Step {
        /** The connection is secured. */
        DONE,
        /** It continues on an event of the selector or a task. */
        WAITING,
        /** The peer does not send TLS; {@link TlsHandshake#giveUp()} returns its bytes. */
        NOT_TLS
    }

    private final TlsEngine tls;
    private final TlsConnection connection;
    private final SelectionKey key;
    private final TaskRunner runner;
    private final Runnable again;
    private final boolean connector;
    private boolean begun;
    /** The peer has sent a record of TLS. */
    private boolean spoken;
    /** The proof of a shared secret, until it is done. */
    private @Nullable SharedSecretProof proof;

    private @Nullable Secured secured;

    /**
     * Creates the TLS side of a connection.
     *
     * @param key of the connected socket
     * @param runner runs the engine's tasks
     * @param again called when they have run, to call {@link #advance()}
     */
    TlsHandshake(TlsEngine tls, SelectionKey key, TaskRunner runner, Runnable again) {
        this.tls = tls;
        this.connection = new TlsConnection(tls);
        this.key = key;
        this.runner = runner;
        this.again = again;
        this.connector = tls.engine().getUseClientMode();
    }

    /** The connection inside TLS: may be closed from the beginning, and used after the handshake. */
    public TlsConnection connection() {
        return connection;
    }

    /** Releases the socket, whose peer does not send TLS; returns the received bytes. */
    public ByteBuffer giveUp() {
        return tls.giveUp();
    }

    /** Whether tasks of this side are running or waiting. */
    public boolean isBusy() {
        return tls.isBusy();
    }

    /** Whether the peer has sent a record of TLS. */
    public boolean hasSpoken() {
        return spoken;
    }

    /** The security properties at the end. */
    public Secured secured() {
        Secured known = secured;
        if (known == null || proof != null) {
            throw new IllegalStateException("TLS is not done: peer=" + tls.peer());
        }
        return known;
    }

    /**
     * Advances as far as possible.
     *
     * @throws FairleadException if the peer is not trusted, or breaks a rule
     * @throws IOException if the socket is broken
     */
    public Step advance() throws IOException {
        if (tls.isBusy() || tls.isClosed()) {
            return Step.WAITING;
        }
        if (secured == null) {
            Step step = advanceTls();
            if (step != Step.DONE) {
                return step;
            }
            finishTls();
        }
        SharedSecretProof running = proof;
        return running == null ? Step.DONE : advanceProof(running);
    }

    private Step advanceTls() throws IOException {
        if (!begun) {
            begun = true;
            tls.engine().beginHandshake();
        }
        while (true) {
            if (!tls.flush()) {
                return waitFor(SelectionKey.OP_WRITE);
            }
            switch (tls.engine().getHandshakeStatus()) {
                case NEED_TASK -> {
                    return delegate();
                }
                case NEED_WRAP -> expectProgress(tls.wrap());
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    if (!spoken && !tls.isTls()) {
                        return Step.NOT_TLS;
                    }
                    if (tls.hasRecord()) {
                        spoken = true;
                        expectProgress(connection.unwrapAside());
                    } else if (!tryFill()) {
                        return waitFor(SelectionKey.OP_READ);
                    }
                }
                case FINISHED, NOT_HANDSHAKING -> {
                    return Step.DONE;
                }
            }
        }
    }

    /** Waits for the selector. */
    private Step waitFor(int operation) {
        key.interestOps(operation);
        return Step.WAITING;
    }

    /** Runs the engine's tasks on other threads. */
    private Step delegate() {
        List<Runnable> tasks = new ArrayList<>();
        for (Runnable task = tls.engine().getDelegatedTask();
                task != null;
                task = tls.engine().getDelegatedTask()) {
            tasks.add(task);
        }
        key.interestOps(0);
        tls.setBusy(true);
        try {
            runner.run(() -> tasks.forEach(TlsHandshake::run), () -> {
                tls.setBusy(false);
                again.run();
            });
        } catch (Throwable refused) {
            tls.setBusy(false);
            throw refused;
        }
        return Step.WAITING;
    }

    /** A task's failure is thrown by the engine when it continues. */
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable thrown) {
            LOG.warn("a task of TLS failed", thrown);
        }
    }

    private void expectProgress(SSLEngineResult result) {
        if (result.getStatus() == Status.CLOSED) {
            throw lost();
        }
        if (result.getStatus() != Status.OK
                || (result.bytesConsumed() == 0
                        && result.bytesProduced() == 0
                        && result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP)) {
            throw TlsFailure.violation("TLS came to a standstill: result=" + result.getStatus(), tls.peer());
        }
    }

    private boolean tryFill() throws IOException {
        int count = tls.fill();
        if (count < 0) {
            throw lost();
        }
        if (tls.received() > BYTES_MAX) {
            throw TlsFailure.violation(
                    "TLS handshake is too long: received=" + tls.received() + ", limit=" + BYTES_MAX + " bytes",
                    tls.peer());
        }
        return count > 0;
    }

    private static FairleadException lost() {
        return new FairleadException(Reason.PEER_LOST, "the connection ended before the handshake of TLS did");
    }

    /** The TLS handshake has ended: gets the peer's identity, and starts the proof of the secret if there is one. */
    private void finishTls() {
        SecureEngine engine = tls.secure();
        try {
            secured = new Secured(
                    engine.identity(), engine.export(PATHS_LABEL, NO_CONTEXT, PATH_SECRET), engine, System.nanoTime());
            List<byte[]> secrets = engine.sharedSecrets();
            if (!secrets.isEmpty()) {
                byte[] exported = engine.export(SharedSecretProof.LABEL, NO_CONTEXT, SharedSecretProof.LENGTH);
                proof = new SharedSecretProof(connection, connector, secrets, exported);
            }
        } catch (SSLException | RuntimeException failure) {
            throw TlsFailure.of(failure, tls.peer());
        }
    }

    private Step advanceProof(SharedSecretProof running) throws IOException {
        return switch (running.advance()) {
            case PROVED -> {
                proof = null;
                yield Step.DONE;
            }
            case WRITES -> waitFor(SelectionKey.OP_WRITE);
            case READS -> waitFor(SelectionKey.OP_READ);
            case WRONG ->
                throw new FairleadException(
                        Reason.UNTRUSTED,
                        "peer does not hold the shared secret: peer=" + tls.peer() + "; " + COMPARE_SECRETS);
            case REFUSED ->
                throw new FairleadException(
                        Reason.UNTRUSTED,
                        "peer says that this side does not hold its shared secret: peer=" + tls.peer() + "; "
                                + COMPARE_SECRETS);
            case ENDED -> throw lost();
        };
    }
}
