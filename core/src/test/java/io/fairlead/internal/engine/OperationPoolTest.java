package io.fairlead.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Completion;
import io.fairlead.MatchHandler;
import io.fairlead.MessageInfo;
import io.fairlead.Status;
import io.fairlead.internal.statistics.WorkerStatistics;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OperationPoolTest {
    private static final MatchHandler NEVER = new MatchHandler() {
        @Override
        public boolean tryMatch(MessageInfo message) {
            return false;
        }

        @Override
        public MemorySegment buffer() {
            return MemorySegment.NULL;
        }
    };

    private final OperationPool pool = new OperationPool(new NoEnding(), 100);

    @Test
    void shouldGiveOutAsManyAsTheLimit() {
        for (int i = 0; i < 100; i++) {
            assertNotNull(pool.take());
        }
        assertNull(pool.take());
        assertEquals(100, pool.inUse());
    }

    @Test
    void shouldBoundWaitingReceivesByThemselves() {
        CoreOperation waiting = pool.takeWaiting(NEVER);
        assertNotNull(waiting);
        for (int i = 1; i < 100; i++) {
            assertNotNull(pool.takeWaiting(NEVER));
        }
        assertNull(pool.takeWaiting(NEVER));
        List<CoreOperation> others = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            others.add(take());
        }
        assertNull(pool.take());
        assertEquals(200, pool.inUse());
        // A receive that has matched is in flight, beyond the limit for a while.
        pool.endWaiting(waiting);
        assertNull(pool.takeWaiting(NEVER), "no place is left at all");
        pool.giveBack(others.removeLast());
        assertNull(pool.take());
        assertNotNull(pool.takeWaiting(NEVER));
        pool.endWaiting(waiting);
        assertNull(pool.takeWaiting(NEVER), "a receive ends its wait once");
        pool.giveBack(others.removeLast());
        assertNotNull(pool.take());
        assertNull(pool.take());
    }

    @Test
    void shouldNotFindAnEndedOperationUnderItsId() {
        CoreOperation operation = take();
        long id = operation.id;
        assertSame(operation, pool.find(id));
        pool.giveBack(operation);
        assertNull(pool.find(id));
        CoreOperation other = take();
        while (other != operation) {
            pool.giveBack(other);
            other = take();
        }
        assertNull(pool.find(id), "the id of the ended operation is not its successor's");
    }

    @Test
    void shouldGiveAnIdToOneOperationOnly() {
        Set<Long> ids = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            CoreOperation operation = take();
            assertTrue(operation.id > 0);
            assertTrue(ids.add(operation.id));
            pool.giveBack(operation);
        }
    }

    @Test
    void shouldFindNothingUnderNumbersThatAreNoIds() {
        take();
        assertNull(pool.find(0));
        assertNull(pool.find(-1));
        assertNull(pool.find(Long.MAX_VALUE));
        assertNull(pool.find(99));
    }

    private CoreOperation take() {
        CoreOperation operation = pool.take();
        assertNotNull(operation);
        operation.prepare(CoreOperation.RECEIVE, null, Completion.IGNORE, 0, WorkerStatistics.UNTIMED, null, 0, 0);
        return operation;
    }

    /** Operations of these cases are given back as they are. */
    private static final class NoEnding implements CoreOperation.Ending {
        @Override
        public void complete(CoreOperation operation, Status status) {}

        @Override
        public boolean beginAsking() {
            return false;
        }

        @Override
        public void endAsking(boolean wasRunning) {}
    }
}
