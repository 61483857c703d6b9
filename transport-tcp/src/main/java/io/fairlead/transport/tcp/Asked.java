package io.fairlead.transport.tcp;

import io.fairlead.Status;
import io.fairlead.spi.Operation;

/**
 * The gets, atomics and flushes of one endpoint that the peer has to answer.
 *
 * <p>A flush completes when the peer has answered it, which says that everything before it in the stream has taken effect, and when
 * every get and atomic before it has its answer, because long answers may come behind short ones. Flushes are numbered; each
 * get and atomic counts for the first flush behind it, and flushes complete in their order.
 */
final class Asked {
    private static final byte UNANSWERED = 0;
    private static final byte DONE = 1;
    private static final byte REFUSED = 2;

    private final OperationTable table = new OperationTable(Frame.ASKED_MAX);
    /** The number that the next flush will have. */
    private int nextTurn;
    /** The number of the oldest flush that is not complete. */
    private int firstTurn;
    /** By turn: open gets and atomics between the flush before and this one. */
    private int[] open = new int[1];

    private byte[] answers = new byte[1];
    private Entry[] flushes = new Entry[1];

    boolean isEmpty() {
        return table.size() == 0;
    }

    boolean isFull() {
        return table.isFull();
    }

    /** Takes in a get or an atomic. There must be room. */
    Entry ask(Entry.Kind kind, Operation operation) {
        Entry entry = table.add(kind, operation);
        entry.flushTurn = nextTurn;
        open[index(nextTurn)]++;
        return entry;
    }

    /** Takes in a flush. There must be room. */
    Entry askFlush(Operation operation) {
        Entry entry = table.add(Entry.Kind.FLUSH, operation);
        entry.detail = nextTurn;
        if (nextTurn - firstTurn == open.length - 1) {
            grow();
        }
        flushes[index(nextTurn)] = entry;
        answers[index(nextTurn)] = UNANSWERED;
        nextTurn++;
        open[index(nextTurn)] = 0;
        return entry;
    }

    private void grow() {
        int size = open.length * 2;
        int[] largerOpen = new int[size];
        byte[] largerAnswers = new byte[size];
        Entry[] largerFlushes = new Entry[size];
        for (int turn = firstTurn; turn != nextTurn + 1; turn++) {
            largerOpen[turn & (size - 1)] = open[index(turn)];
            largerAnswers[turn & (size - 1)] = answers[index(turn)];
            largerFlushes[turn & (size - 1)] = flushes[index(turn)];
        }
        open = largerOpen;
        answers = largerAnswers;
        flushes = largerFlushes;
    }

    private int index(int turn) {
        return turn & (open.length - 1);
    }

    /** Finds what a frame of the peer answers, or throws. */
    Entry find(int frame, long id, Entry.Kind kind) {
        return table.find(frame, id, kind);
    }

    /** Ends a get or an atomic. */
    void complete(Entry entry, Status status, long length, long value) {
        int turn = entry.flushTurn;
        table.remove(entry).complete(status, length, value);
        open[index(turn)]--;
        if (turn != nextTurn) {
            completeFlushes();
        }
    }

    /** The peer has answered a flush. */
    void flushed(Entry entry, boolean refused) {
        int index = index((int) entry.detail);
        if (answers[index] != UNANSWERED) {
            throw Frame.violation(Frame.name(Frame.FLUSHED), "id", entry.id, "once for each flush");
        }
        answers[index] = refused ? REFUSED : DONE;
        completeFlushes();
    }

    private void completeFlushes() {
        while (firstTurn != nextTurn && open[index(firstTurn)] == 0 && answers[index(firstTurn)] != UNANSWERED) {
            int index = index(firstTurn++);
            table.remove(flushes[index]).complete(answers[index] == REFUSED ? Status.REVOKED : Status.OK, 0);
        }
    }

    void close() {
        table.close();
    }
}
