package io.fairlead.node.internal.errors;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import java.util.Optional;

/** Turns statuses of the engine into the exceptions that futures fail with. */
public final class Failures {
    private Failures() {}

    /**
     * The failure of an operation.
     *
     * @param what the operation and its numbers, such as {@code send of 8 bytes}
     * @param status the engine's status
     * @param peer the peer's name
     * @param cause why its connection failed
     */
    public static FairleadException of(String what, Status status, String peer, Optional<FairleadException> cause) {
        String subject = what + " failed: status=" + status + ", peer=" + peer;
        return switch (status) {
            case BACK_PRESSURE ->
                new FairleadException(
                        Reason.LIMIT_REACHED,
                        status,
                        subject
                                + "; the receiver is slower than the sender: wait for earlier operations and call again");
            case NOT_CONNECTED ->
                new FairleadException(
                        Reason.NOT_CONNECTED,
                        status,
                        subject + causeText(cause) + "; the connection is being made again: call later");
            case CLOSED ->
                new FairleadException(Reason.CLOSED, status, subject + "; connect again where that is wanted");
            case PEER_FAILED ->
                new FairleadException(
                        cause.map(FairleadException::reason).orElse(Reason.PEER_LOST),
                        status,
                        subject + causeText(cause) + "; connect again");
            case REVOKED ->
                new FairleadException(
                        Reason.REVOKED,
                        status,
                        subject
                                + "; the peer has closed the memory region, or does not let this side reach it: ask it for a new key");
            case UNSUPPORTED ->
                new FairleadException(
                        Reason.UNSUPPORTED, status, subject + "; the path's transport cannot do this: choose another");
            default -> new FairleadException(Reason.TRANSPORT, status, subject + causeText(cause));
        };
    }

    public static FairleadException truncated(String peer, long tag, long length, long limit) {
        return new FairleadException(
                Reason.TRUNCATED,
                Status.TRUNCATED,
                "message longer than the receive allows, and lost: length=" + length + ", limit=" + limit
                        + " bytes, tag=" + tag + ", peer=" + peer + "; receive with a greater limit");
    }

    /** The process has no native memory for something of a node's. */
    public static FairleadException noMemory(String what, long length, OutOfMemoryError cause) {
        return new FairleadException(
                Reason.LIMIT_REACHED,
                Status.BACK_PRESSURE,
                "no native memory for " + what + ": length=" + length + " bytes, cause: " + cause.getMessage()
                        + "; wait for earlier operations, or raise -XX:MaxDirectMemorySize");
    }

    /** A message for which the process has no native memory. */
    public static FairleadException lost(String peer, long tag, long length, OutOfMemoryError cause) {
        return new FairleadException(
                Reason.LIMIT_REACHED,
                Status.TRUNCATED,
                "no native memory for a message, which is lost: length=" + length + " bytes, tag=" + tag + ", peer="
                        + peer + ", cause: " + cause.getMessage()
                        + "; close messages sooner, or raise -XX:MaxDirectMemorySize");
    }

    /** The limit of waiting bytes is reached. */
    public static FairleadException tooManyBytes(String what, String owner, long waiting, long limit) {
        return new FairleadException(
                Reason.LIMIT_REACHED,
                Status.BACK_PRESSURE,
                what + " failed: status=BACK_PRESSURE, " + owner + ", waiting=" + waiting + ", limit=" + limit
                        + " bytes of node.queue-bytes; the receiver is slower than the sender: wait for earlier operations and call again");
    }

    public static FairleadException nodeClosed() {
        return new FairleadException(Reason.CLOSED, Status.CLOSED, "node is closed; start another");
    }

    public static FairleadException staleKey(String peer) {
        return new FairleadException(
                Reason.STALE_KEY,
                "remote key is of an earlier connection: peer=" + peer + "; unpack it again on this one");
    }

    private static String causeText(Optional<FairleadException> cause) {
        return cause.map(failure -> ", cause: " + failure.getMessage()).orElse("");
    }
}
