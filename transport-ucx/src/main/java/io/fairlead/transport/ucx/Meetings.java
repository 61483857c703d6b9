package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.util.ArrayDeque;

/**
 * The endpoints of a worker that have been greeted and wait for their number: the peer has made others in vain before, which this side has to make too and
 * to give up. That is a few in each turn, however many a hello asks for, so that one peer does not keep the worker from the others.
 */
final class Meetings {
    /** Made in one turn. */
    static final int PER_TURN = 16;
    /** Endpoints that the other side may have made in vain since the last one. */
    private static final int SKIPPED_MAX = 1024;
    /** Endpoints that only UCX has, each until it is connected or a second has passed. */
    private static final int GIVEN_UP_MAX = 1024;

    private static final class Meeting {
        final Pairing pairing;
        final Introduction endpoint;
        final long number;
        int skipped;

        Meeting(Pairing pairing, Introduction endpoint, long number) {
            this.pairing = pairing;
            this.endpoint = endpoint;
            this.number = number;
        }
    }

    private final UcxWorker worker;
    private final ArrayDeque<Meeting> waiting = new ArrayDeque<>(0);

    Meetings(UcxWorker worker) {
        this.worker = worker;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    void add(Pairing pairing, Introduction endpoint, long number) {
        waiting.add(new Meeting(pairing, endpoint, number));
    }

    /** The endpoint is closed. */
    void remove(Introduction endpoint) {
        waiting.removeIf(meeting -> meeting.endpoint == endpoint);
    }

    /** Makes what is to be made in this turn. */
    int progress() {
        int count = 0;
        while (count < PER_TURN && !waiting.isEmpty() && worker.givenUp() < GIVEN_UP_MAX + PER_TURN) {
            count++;
            Meeting meeting = waiting.element();
            try {
                if (advance(meeting)) {
                    waiting.remove();
                    meeting.endpoint.met();
                }
            } catch (FairleadException refused) {
                waiting.remove(meeting);
                meeting.endpoint.fail(refused);
            }
        }
        return count;
    }

    /** Makes one endpoint in vain; true if none is missing. */
    private static boolean advance(Meeting meeting) {
        if (meeting.pairing.reaches(meeting.number, meeting.endpoint)) {
            return true;
        }
        if (meeting.skipped++ == SKIPPED_MAX) {
            throw new FairleadException(
                    Reason.TRANSPORT,
                    "the peer has made too many UCX endpoints in vain: endpoint=" + meeting.endpoint.label()
                            + ", number="
                            + meeting.number + ", made=" + meeting.pairing.made() + ", allowed at a time "
                            + SKIPPED_MAX + "; connect again");
        }
        meeting.pairing.skip(meeting.endpoint);
        return false;
    }
}
