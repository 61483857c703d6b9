package io.fairlead.transport.tcp;

import io.fairlead.spi.Operation;
import org.jspecify.annotations.Nullable;

/**
 * An operation that waits for the peer, under an id that the peer's frames refer to. Pooled by its
 * {@link OperationTable}.
 */
final class PendingOperation {
    /** The event that the operation waits for, which determines the frames that may refer to it. */
    enum Kind {
        /** A synchronous eager send, waiting for its match. */
        SYNCHRONOUS,
        /** An announced send, waiting for the receiver's pull. */
        ANNOUNCED,
        /** A matched send, waiting for the end of its transfer. The peer must not refer to it any more. */
        LEAVING,
        /** A matched receive, waiting for the data that it pulled. */
        RECEIVE
    }

    final int slot;
    /** 0 while free. */
    long id;

    Kind kind = Kind.RECEIVE;

    @Nullable Operation operation;
    /** Bytes to transfer, if different from the operation's length. */
    long length;
    /** The other side's id for a pulled send, the message's length for a receive. */
    long detail;
    /** For a synchronous send: its payload is not read from the buffer yet. */
    boolean hasPayload;
    /** The next pulled send of {@link Streams}. */
    @Nullable PendingOperation next;

    private int generation;

    PendingOperation(int slot) {
        this.slot = slot;
    }

    /** Assigns an id that its last use did not have. */
    void renew(Kind newKind, Operation newOperation) {
        generation = generation % 0xFFFF + 1;
        id = (long) generation << 16 | slot;
        kind = newKind;
        operation = newOperation;
        length = 0;
        detail = 0;
        hasPayload = false;
    }

    void free() {
        id = 0;
        operation = null;
        next = null;
    }
}
