package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;

/** What the suites about remote memory have in common. The server owns the regions, the client reaches them. */
abstract class RemoteMemoryCases extends TransportContract {
    static final Set<AccessRight> ALL_RIGHTS = Set.copyOf(EnumSet.allOf(AccessRight.class));

    /** A word in the byte order of the target, which is this process. */
    static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    static final byte UNTOUCHED = 0x55;

    @BeforeEach
    final void requireRemoteMemory() {
        requires(Capability.PUT, Capability.GET);
    }

    /** A region of the server with all rights, closed with the server's context. */
    final MemoryRegion region(long length) {
        return server().context().allocate(length, ALL_RIGHTS);
    }

    /** Waits until everything that the end has posted is complete and visible at the target. */
    final void flush(End end) {
        completeOk(end, end.flush());
    }

    /** Gets bytes, and waits for them. */
    final MemorySegment got(End end, RemoteKey key, long offset, long length) {
        MemorySegment target = buffer(length);
        completeOk(end, end.get(target, key, offset));
        return target;
    }

    /** Changes a word, and waits for the value that was there before. */
    final long changed(End end, AtomicOperation operation, long operand, long compare, RemoteKey key, long offset) {
        return completeOk(end, end.atomic(operation, operand, compare, key, offset))
                .value();
    }

    /** Drives every worker until the client knows that a region was closed. */
    final void awaitRevocation(RemoteKey key) {
        progressUntil(key::isRevoked, "the revocation to arrive");
    }

    /** Drives every worker until a flush of the end completes, however it ends. */
    final Status flushed(End end) {
        return complete(end, end.flush()).status();
    }

    /** Drives one worker alone, as if the others' threads stood still. */
    final void progressAlone(Side side, BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            side.progress();
            if (System.nanoTime() > deadline) {
                fail("waited 60 s for " + what + ": " + side);
            }
        }
    }

    final void assertNothingInFlight(Side side) {
        assertEquals(0, side.worker().counters().value(Counter.OPERATIONS_IN_FLIGHT), "operations in flight");
    }
}
