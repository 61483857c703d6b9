package io.fairlead.transport.tcp;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The operations of one endpoint that the peer's frames refer to, by id. It grows on demand up to its limit. */
final class OperationTable {
    private static final PendingOperation[] NO_ENTRIES = {};
    private static final int[] NO_SLOTS = {};

    private final int limit;
    private PendingOperation[] entries = NO_ENTRIES;
    /** Free slots, the last one first. */
    private int[] free = NO_SLOTS;

    private int freeCount;

    OperationTable(int limit) {
        this.limit = limit;
    }

    int size() {
        return entries.length - freeCount;
    }

    boolean isFull() {
        return size() == limit;
    }

    /** Adds an operation. There must be a free slot. */
    PendingOperation add(PendingOperation.Kind kind, Operation operation) {
        if (freeCount == 0) {
            grow();
        }
        PendingOperation entry = entries[free[--freeCount]];
        entry.renew(kind, operation);
        return entry;
    }

    private void grow() {
        int size = Math.min(limit, Math.max(16, entries.length * 2));
        int before = entries.length;
        entries = Arrays.copyOf(entries, size);
        free = Arrays.copyOf(free, size);
        for (int slot = size - 1; slot >= before; slot--) {
            entries[slot] = new PendingOperation(slot);
            free[freeCount++] = slot;
        }
    }

    /**
     * Finds the operation of a peer's frame.
     *
     * @param frame the frame's type
     * @param id the id in it
     * @param kind the kind that the frame may refer to
     * @return the entry
     * @throws FairleadException if there is none
     */
    PendingOperation find(int frame, long id, PendingOperation.Kind kind) {
        int slot = (int) (id & 0xFFFF);
        PendingOperation entry = slot < entries.length ? entries[slot] : null;
        if (entry == null || id == 0 || entry.id != id || entry.kind != kind) {
            throw unknown(frame, id);
        }
        return entry;
    }

    /** No operation waits for a frame. */
    static FairleadException unknown(int frame, long id) {
        return TcpFrame.violation(TcpFrame.name(frame), "id", id, "ids of operations that wait for such a frame");
    }

    /** Removes an operation, which the caller completes. */
    Operation remove(PendingOperation entry) {
        Operation operation = Objects.requireNonNull(entry.operation, "operation");
        entry.free();
        free[freeCount++] = entry.slot;
        return operation;
    }

    /** A receive has matched a synchronous send, which completes when its buffer may be reused. */
    void matched(PendingOperation entry) {
        entry.kind = PendingOperation.Kind.LEAVING;
        completeIfSent(entry);
    }

    /** The payload of a synchronous send was written to the socket. */
    void payloadWritten(PendingOperation entry) {
        entry.hasPayload = false;
        completeIfSent(entry);
    }

    private void completeIfSent(PendingOperation entry) {
        if (entry.kind == PendingOperation.Kind.LEAVING && !entry.hasPayload) {
            Operation send = remove(entry);
            send.complete(Status.OK, send.length());
        }
    }

    /** Cancels everything. */
    void close() {
        for (PendingOperation entry : entries) {
            @Nullable Operation operation = entry.operation;
            if (operation != null) {
                remove(entry);
                operation.complete(Status.CANCELLED, 0);
            }
        }
    }
}
