package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.Capability;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;

/** What the suites about back-pressure have in common: bounds so small that a case reaches them. */
abstract class BackPressureCases extends TransportContract {
    static final long FULL = Worker.FULL_TAG_MASK;
    static final int OPERATIONS_MAX = 256;
    static final int CREDIT_BYTES = 1 << 16;
    static final int EAGER_MAX = 1 << 12;

    @BeforeEach
    final void setBounds() {
        requires(Capability.TAGGED);
        configure(ConfigKeys.OPERATIONS_MAX, OPERATIONS_MAX);
        configure(ConfigKeys.CREDIT_BYTES, CREDIT_BYTES);
        configure(ConfigKeys.EAGER_MAX, EAGER_MAX);
    }

    /** Posts until the answer is back-pressure even when every worker has nothing left to do. */
    final int postUntilStopped(LongSupplier post, int limit) {
        int taken = 0;
        while (true) {
            if (taken > limit) {
                throw new AssertionError("no back-pressure after " + limit + " operations");
            }
            if (tryPost(post)) {
                taken++;
                continue;
            }
            progressUntilIdle();
            if (!tryPost(post)) {
                return taken;
            }
            taken++;
        }
    }

    /** Posts once; false means back-pressure, and anything else is a failure. */
    static boolean tryPost(LongSupplier post) {
        long answer = post.getAsLong();
        if (answer > 0) {
            return true;
        }
        assertEquals(Status.BACK_PRESSURE, Status.of(answer), () -> "answer of the post: " + answer);
        return false;
    }

    /** Posts as soon as there is capacity. */
    final void postWhenTaken(LongSupplier post) {
        progressUntil(() -> tryPost(post), "an operation to be taken");
    }

    /** A post that sends one buffer again and again; each that is taken is recorded. */
    static LongSupplier sending(End end, MemorySegment buffer, long tag) {
        return () -> recorded(end, end.endpoint().send(buffer, tag, end.recorder()));
    }

    /** Registers what a post returned if it was taken. */
    static long recorded(End end, long answer) {
        return answer > 0 ? end.posted(answer) : answer;
    }

    static long inFlight(Side side) {
        return side.worker().counters().value(Counter.OPERATIONS_IN_FLIGHT);
    }

    static long unexpectedNow(Side side) {
        return side.worker().counters().value(Counter.UNEXPECTED_NOW);
    }
}
