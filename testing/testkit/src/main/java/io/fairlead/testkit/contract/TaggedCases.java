package io.fairlead.testkit.contract;

import io.fairlead.Capability;
import io.fairlead.MessageInfo;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.BeforeEach;

/** What the suites about tagged messages have in common. */
abstract class TaggedCases extends TransportContract {
    /** The mask that compares every bit. */
    static final long FULL = Worker.FULL_TAG_MASK;

    /** The mask that matches every tag. */
    static final long ANY_TAG = 0;

    @BeforeEach
    final void requireTaggedMessages() {
        requires(Capability.TAGGED);
    }

    /** The longest message that the pairs of this case send without waiting for its receive. */
    final int eagerMax() {
        return config().value(ConfigKeys.EAGER_MAX);
    }

    /** A length that goes by rendezvous and is no multiple of anything. */
    final long beyondEager() {
        return eagerMax() * 5L + 13;
    }

    /** Drives every worker until a message with exactly this tag waits for a receive, and leaves it there. */
    final MessageInfo awaitMessage(Side side, long tag) {
        MessageInfo info = side.worker().newMessageInfo();
        progressUntil(() -> side.worker().probe(tag, FULL, info), "a message with tag " + tag + " to arrive");
        return info;
    }

    /** Drives every worker until this many messages wait for a receive. */
    final void awaitUnexpected(Side side, long count) {
        progressUntil(
                () -> side.worker().counters().value(Counter.UNEXPECTED_NOW) == count,
                count + " messages to wait for a receive");
    }

    /** Receives the next message of any tag from one endpoint, and waits for it. */
    final Outcome receiveNext(End end, MemorySegment target) {
        return complete(end, end.receive(target, 0, ANY_TAG));
    }

    /** Claims a message with exactly this tag, waiting for it. */
    final MessageInfo claim(Side side, long tag) {
        MessageInfo info = side.worker().newMessageInfo();
        progressUntil(() -> side.worker().claim(tag, FULL, info), "a message with tag " + tag + " to be claimed");
        return info;
    }

    /** Receives a claimed message into a whole buffer, and waits for it. */
    final Outcome receiveClaimed(Side side, MessageInfo info, MemorySegment target) {
        long posted = side.worker().receiveClaimed(info, target, side.recorder());
        return complete(side, side.recorder().posted(posted));
    }
}
