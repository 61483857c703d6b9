package io.fairlead.transport.tcp;

import io.fairlead.spi.Operation;
import org.jspecify.annotations.Nullable;

/** An operation that waits for the peer, under an id that the peer's frames name. Pooled by its {@link OperationTable}. */
final class PendingOperation {
    /** What the operation waits for, which decides the frames that may name it. */
    enum Kind {
        /** A synchronous eager send, for its match. */
        SYNCHRONOUS,
        /** An announced send, for the receiver to pull it. */
        ANNOUNCED,
        /** A matched send, for its bytes to leave. The peer may not name it any more. */
        LEAVING,
        /** A matched receive, for the data that it pulled. */
        RECEIVE
    }

    final int slot;
    /** 0 while free. */
    long id;

    Kind kind = Kind.RECEIVE;

    @Nullable Operation operation;
    /** Bytes to be moved, where that is not the operation's length. */
    long length;
    /** The other side's id for a pulled send, the message's length for a receive. */
    long detail;
    /** Of a synchronous send: its payload is still to be read from the buffer. */
    boolean hasPayload;
    /** The next pulled send of {@link Streams}. */
    @Nullable PendingOperation next;

    private int generation;

    PendingOperation(int slot) {
        this.slot = slot;
    }

    /** Gives it an id that its last use did not have. */
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
