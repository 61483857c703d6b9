package io.fairlead;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A failure on the control path: opening, connecting, registering, configuring. The data path reports by {@link Status}, which
 * the futures of a node carry in this exception.
 *
 * <p>The message is one line that names the thing, its value, the limit and the remedy.
 */
public final class FairleadException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What a caller can do about a failure. */
    public enum Advice {
        /** The same call may succeed later. */
        RETRY,
        /** This endpoint is gone; a new connection may succeed. */
        RECONNECT,
        /** The same call will fail again until the cause is fixed. */
        GIVE_UP
    }

    /** What failed. */
    public enum Reason {
        /** A configuration key or value is wrong. */
        CONFIGURATION(Advice.GIVE_UP),
        /** The host's name does not resolve. */
        UNKNOWN_HOST(Advice.GIVE_UP),
        /** A listener's address is taken or not this host's. */
        ADDRESS_UNAVAILABLE(Advice.GIVE_UP),
        /** Nothing listens there, or the network refused. */
        CONNECTION_REFUSED(Advice.RETRY),
        /** A deadline passed. */
        TIMED_OUT(Advice.RETRY),
        /** The peer's listener refused the handshake for a reason that it named. */
        REFUSED(Advice.GIVE_UP),
        /** A side could not prove its identity, or has another identity than the expected one. */
        UNTRUSTED(Advice.GIVE_UP),
        /**
         * The connection has reached its maximum age, because its keys were replaced, or the peer's certificate has
         * expired.
         */
        EXPIRED(Advice.RECONNECT),
        /** The two sides share no protocol version. */
        VERSION_MISMATCH(Advice.GIVE_UP),
        /** No transport that both sides have satisfies both policies. */
        NO_PATH(Advice.GIVE_UP),
        /** The peer sent something that the protocol does not allow. */
        PROTOCOL_VIOLATION(Advice.RECONNECT),
        /**
         * The peer closed its end without a graceful disconnect, the network reset the connection, or the peer's host
         * no longer answers.
         */
        PEER_LOST(Advice.RECONNECT),
        /**
         * The peer's worker was stalled for longer than {@code stall.timeout}, though its host answers or cannot be
         * probed.
         */
        PEER_SILENT(Advice.RECONNECT),
        /** The bytes are no remote key, or are damaged. */
        MALFORMED_KEY(Advice.GIVE_UP),
        /** The remote key belongs to a process, or an incarnation of it, that is not this endpoint's peer. */
        STALE_KEY(Advice.GIVE_UP),
        /** Memory could not be allocated or registered. */
        REGISTRATION_FAILED(Advice.GIVE_UP),
        /** A bound of the configuration, or of the operating system for this process, was reached. */
        LIMIT_REACHED(Advice.RETRY),
        /** An operation was called while its peer was not connected, or not reconnected yet. */
        NOT_CONNECTED(Advice.RETRY),
        /** A message was longer than its receive allowed, and is lost. */
        TRUNCATED(Advice.GIVE_UP),
        /** The remote memory region was closed by its owner. */
        REVOKED(Advice.GIVE_UP),
        /** The object was closed. */
        CLOSED(Advice.GIVE_UP),
        /** The transport failed for a reason of its own. */
        TRANSPORT(Advice.RECONNECT),
        /** The transport does not support this. */
        UNSUPPORTED(Advice.GIVE_UP);

        private final Advice advice;

        Reason(Advice advice) {
            this.advice = advice;
        }
    }

    private final Reason reason;
    private final @Nullable Status status;

    /**
     * Creates a failure without a cause.
     *
     * @param reason what failed
     * @param message one line: the broken rule, name and value with unit and limit, the remedy
     */
    public FairleadException(Reason reason, String message) {
        super(Objects.requireNonNull(message, "message"));
        this.reason = Objects.requireNonNull(reason, "reason");
        this.status = null;
    }

    /**
     * Creates a failure with a cause.
     *
     * @param reason what failed
     * @param message one line: the broken rule, name and value with unit and limit, the remedy
     * @param cause the underlying failure
     */
    public FairleadException(Reason reason, String message, Throwable cause) {
        super(Objects.requireNonNull(message, "message"), Objects.requireNonNull(cause, "cause"));
        this.reason = Objects.requireNonNull(reason, "reason");
        this.status = null;
    }

    /**
     * Creates the failure of an operation.
     *
     * @param reason what failed
     * @param status the status that the engine returned
     * @param message one line: the broken rule, name and value with unit and limit, the remedy
     */
    public FairleadException(Reason reason, Status status, String message) {
        super(Objects.requireNonNull(message, "message"));
        this.reason = Objects.requireNonNull(reason, "reason");
        this.status = Objects.requireNonNull(status, "status");
    }

    /**
     * The status that the engine returned for the failed operation.
     *
     * @return empty for a failure that is not an operation's
     */
    public Optional<Status> status() {
        return Optional.ofNullable(status);
    }

    /**
     * What failed.
     *
     * @return one of a closed set, fit for a switch or a metric's tag
     */
    public Reason reason() {
        return reason;
    }

    /**
     * What the caller can do.
     *
     * @return derived from the reason
     */
    public Advice advice() {
        return reason.advice;
    }
}
