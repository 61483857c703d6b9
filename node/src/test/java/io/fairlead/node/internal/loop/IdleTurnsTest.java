package io.fairlead.node.internal.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.node.internal.loop.IdleTurns.Next;
import org.junit.jupiter.api.Test;

class IdleTurnsTest {
    private static final long LONG_NS = Long.MAX_VALUE / 2;

    @Test
    void shouldSpinThenYieldThenWait() {
        IdleTurns turns = new IdleTurns(2, LONG_NS / 2, 3, LONG_NS);
        for (int round = 0; round < 2; round++) {
            for (Next expected :
                    new Next[] {Next.SPIN, Next.SPIN, Next.YIELD, Next.YIELD, Next.YIELD, Next.WAIT, Next.WAIT}) {
                assertEquals(expected, turns.idle());
            }
            turns.busy();
        }
    }

    @Test
    void shouldWaitOnceOthersNeedTheProcessor() {
        IdleTurns turns = new IdleTurns(0, 0, 100, -1);
        assertEquals(Next.YIELD, turns.idle());
        assertEquals(Next.WAIT, turns.idle());
        assertEquals(Next.WAIT, turns.idle());
        turns.busy();
        assertEquals(Next.YIELD, turns.idle());
    }

    @Test
    void shouldSpinForEver() {
        IdleTurns turns = new IdleTurns(Integer.MAX_VALUE, Long.MAX_VALUE, 0, 0);
        for (int i = 0; i < 1000; i++) {
            assertEquals(Next.SPIN, turns.idle());
        }
    }
}
