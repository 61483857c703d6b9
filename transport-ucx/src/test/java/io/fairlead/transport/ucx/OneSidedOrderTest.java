package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What fences ask of an endpoint that does some of its operations without its peer and asks its peer for the others. */
@Timeout(60)
final class OneSidedOrderTest {
    private final OneSidedOrder order = new OneSidedOrder();

    @Test
    void shouldAskAtOnceWithoutAFence() {
        order.recordTouch();
        assertFalse(order.needsFlush());
        assertTrue(order.mayAsk(0));
    }

    @Test
    void shouldAskAtOnceBehindAFenceWithNothingBeforeIt() {
        order.fence(0);
        order.recordTouch();
        assertFalse(order.needsFlush());
        assertTrue(order.mayAsk(0));
    }

    @Test
    void shouldAskBehindAFenceOnceAFlushHasEnded() {
        order.recordTouch();
        order.fence(0);
        assertTrue(order.needsFlush());
        long turn = order.flushes();
        assertFalse(order.needsFlush(), "one flush is enough");
        assertFalse(order.mayAsk(0));
        order.flushed(turn);
        assertFalse(order.needsFlush());
        assertTrue(order.mayAsk(0));
    }

    @Test
    void shouldNotTakeAnEarlierFlushForOneBehindTheFence() {
        order.recordTouch();
        long turn = order.flushes();
        order.recordTouch();
        order.fence(0);
        order.flushed(turn);
        assertTrue(order.needsFlush());
        assertFalse(order.mayAsk(0));
    }

    @Test
    void shouldTakeTheApplicationsFlushForItsOwn() {
        order.recordTouch();
        order.fence(0);
        order.flushed(order.flushes());
        assertFalse(order.needsFlush());
        assertTrue(order.mayAsk(0));
    }

    @Test
    void shouldWaitForTheSignalsBeforeTheFence() {
        order.fence(2);
        assertFalse(order.mayAsk(1));
        assertTrue(order.mayAsk(2));
    }

    @Test
    void shouldNotTouchBehindAFenceWhatWasAskedBeforeIt() {
        assertTrue(order.mayTouch(false), "no fence");
        order.fence(0);
        assertFalse(order.mayTouch(false));
        assertTrue(order.mayTouch(true));
        assertTrue(order.mayTouch(false), "asked after the fence");
    }

    @Test
    void shouldKnowWhatNoFlushHasTold() {
        assertFalse(order.hasUnseen());
        order.recordTouch();
        long turn = order.flushes();
        assertEquals(1, turn);
        assertTrue(order.hasUnseen());
        order.flushed(turn);
        assertFalse(order.hasUnseen());
    }
}
