package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one endpoint asks its peer to do on regions that only the peer reaches. Operations are cut into requests that fit a
 * {@link Note}, each is answered, and answers come in the order of the requests; so a flush is done when it is the oldest left.
 */
final class Asking {
    /** Requests without an answer. The peer keeps those in memory that it has not come round to. */
    static final int WINDOW = 64;

    private static final byte FLUSH = 4;
    private static final int ACTION_SHIFT = 56;
    private static final long DONE_MASK = (1L << ACTION_SHIFT) - 1;

    /** A request that is to be answered, or a flush between such. */
    private static final class Asked {
        byte action;

        @Nullable Operation operation;

        long offset;
        boolean last;
    }

    private final UcxEndpoint endpoint;
    /** Operations of which something is still to be asked. */
    private @Nullable Operation first;

    private @Nullable Operation last;

    private Asked[] ring = new Asked[WINDOW];
    private int head;
    private int size;
    private int unanswered;
    /** A put was refused since the last flush. */
    private boolean refusedPut;
    /** A part of the get that is being answered was refused. */
    private boolean refusedGet;

    Asking(UcxEndpoint endpoint) {
        this.endpoint = endpoint;
        fill(0);
    }

    private void fill(int from) {
        for (int i = from; i < ring.length; i++) {
            ring[i] = new Asked();
        }
    }

    /** Whether everything that was asked is answered. */
    boolean idle() {
        return first == null && size == 0;
    }

    /** A put found its region closed, so that the next flush tells. */
    void refused() {
        refusedPut = true;
    }

    /** Takes in a put, get or atomic. */
    void add(Operation operation, byte action) {
        append(operation, (long) action << ACTION_SHIFT);
        ask();
    }

    /** What was to be seen at the peer before more is asked of it may be so by now. */
    void resume() {
        if (first != null) {
            ask();
        }
    }

    /** Takes in a flush: it ends behind all before it. */
    void flush(Operation operation) {
        if (idle()) {
            operation.complete(flushed(), 0);
        } else {
            append(operation, (long) FLUSH << ACTION_SHIFT);
            ask();
        }
    }

    private Status flushed() {
        Status status = refusedPut ? Status.REVOKED : Status.OK;
        refusedPut = false;
        return status;
    }

    private void append(Operation operation, long word) {
        operation.word = word;
        operation.next = null;
        Operation tail = last;
        if (tail == null) {
            first = operation;
        } else {
            tail.next = operation;
        }
        last = operation;
    }

    /** Asks for as much as the window has room for. */
    private void ask() {
        while (first != null && unanswered < WINDOW && !endpoint.ended() && endpoint.mayAsk()) {
            Operation operation = first;
            if (operation == null) {
                // A flush that ended inside its call has resumed this.
                break;
            }
            byte action = (byte) (operation.word >>> ACTION_SHIFT);
            boolean isLast = true;
            if (action == FLUSH) {
                remember(FLUSH, operation, 0, true);
            } else {
                isLast = askPart(operation, action);
            }
            if (isLast) {
                first = operation.next;
                if (first == null) {
                    last = null;
                }
                operation.next = null;
                if (action == Note.PUT) {
                    operation.complete(Status.OK, operation.length());
                }
            }
        }
        endFlushes();
    }

    private boolean askPart(Operation operation, byte action) {
        long done = operation.word & DONE_MASK;
        long part = Math.min(operation.length() - done, Note.DATA_MAX);
        boolean isLast = done + part == operation.length();
        Note note = endpoint.note();
        note.request(action, ((AskedMemory) operation.remote()).regionId(), operation.remoteOffset() + done, part);
        if (action == Note.ATOMIC) {
            note.arithmetic(operation.atomic(), operation.operand(), operation.compare());
        } else if (action == Note.PUT) {
            try {
                note.data(operation.buffer(), operation.offset() + done, part);
            } catch (IllegalStateException closed) {
                endpoint.giveBack(note);
                endpoint.memoryClosed(closed);
                return false;
            }
            if (isLast && operation.hasSignal()) {
                note.withSignal(operation.operand());
            }
        }
        operation.word += part;
        unanswered++;
        remember(action, operation, done, isLast);
        endpoint.send(note, Note.REQUEST);
        return isLast;
    }

    private void remember(byte action, Operation operation, long offset, boolean isLast) {
        if (size == ring.length) {
            grow();
        }
        Asked asked = ring[(head + size) & (ring.length - 1)];
        asked.action = action;
        // A put has ended by the time of its answer.
        asked.operation = action == Note.PUT ? null : operation;
        asked.offset = offset;
        asked.last = isLast;
        size++;
    }

    private void grow() {
        Asked[] larger = new Asked[ring.length * 2];
        for (int i = 0; i < size; i++) {
            larger[i] = ring[(head + i) & (ring.length - 1)];
        }
        ring = larger;
        head = 0;
        fill(size);
    }

    private Asked takeOldest() {
        Asked asked = ring[head];
        head = (head + 1) & (ring.length - 1);
        size--;
        return asked;
    }

    /**
     * The peer has answered the oldest request.
     *
     * @return false if nothing was asked, or something else
     */
    boolean answered(Note answer) {
        if (unanswered == 0) {
            return false;
        }
        boolean gone = answer.verdict() == Note.GONE;
        Asked asked = takeOldest();
        unanswered--;
        Operation operation = asked.operation;
        asked.operation = null;
        switch (asked.action) {
            case Note.PUT -> refusedPut |= gone;
            case Note.GET -> {
                Operation get = Objects.requireNonNull(operation, "operation");
                long part = Math.min(get.length() - asked.offset, Note.DATA_MAX);
                if (!gone && answer.dataLength() != part) {
                    // Of a get of several parts the last one ends it, when the endpoint ends.
                    if (asked.last) {
                        get.complete(Status.CANCELLED, 0);
                    }
                    return false;
                }
                endPart(get, asked, answer, part, gone);
            }
            default -> {
                Operation atomic = Objects.requireNonNull(operation, "operation");
                atomic.complete(gone ? Status.REVOKED : Status.OK, gone ? 0 : Long.BYTES, answer.value());
            }
        }
        endFlushes();
        ask();
        return true;
    }

    private void endPart(Operation get, Asked asked, Note answer, long part, boolean gone) {
        if (gone) {
            refusedGet = true;
        } else {
            try {
                answer.copyData(get.buffer(), get.offset() + asked.offset, part);
            } catch (IllegalStateException closed) {
                endpoint.memoryClosed(closed);
                if (asked.last) {
                    get.complete(Status.CANCELLED, 0);
                }
                return;
            }
        }
        if (asked.last) {
            get.complete(refusedGet ? Status.REVOKED : Status.OK, refusedGet ? 0 : get.length());
            refusedGet = false;
        }
    }

    private void endFlushes() {
        while (size > 0 && ring[head].action == FLUSH) {
            Asked asked = takeOldest();
            Objects.requireNonNull(asked.operation, "operation").complete(flushed(), 0);
            asked.operation = null;
        }
    }

    /** The endpoint has ended: so have all of its operations. */
    void cancel() {
        while (size > 0) {
            Asked asked = takeOldest();
            Operation operation = asked.operation;
            asked.operation = null;
            if (operation != null && asked.last) {
                operation.complete(Status.CANCELLED, 0);
            }
        }
        unanswered = 0;
        Operation operation = first;
        first = null;
        last = null;
        while (operation != null) {
            Operation following = operation.next;
            operation.next = null;
            operation.complete(Status.CANCELLED, 0);
            operation = following;
        }
    }
}
