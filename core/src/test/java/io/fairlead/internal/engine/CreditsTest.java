package io.fairlead.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CreditsTest {
    private static final int EAGER_MAX = 100;
    private static final int WINDOW = 1000;

    private final Credits sender = new Credits(EAGER_MAX, WINDOW, WINDOW);
    private final Credits receiver = new Credits(EAGER_MAX, WINDOW, WINDOW);

    @Test
    void shouldCostThePayloadOnlyWhileItMayBeEager() {
        assertEquals(EAGER_MAX + Credits.MESSAGE_COST, sender.cost(EAGER_MAX));
        assertEquals(Credits.MESSAGE_COST, sender.cost(EAGER_MAX + 1));
        assertEquals(Credits.MESSAGE_COST, sender.cost(0));
    }

    @Test
    void shouldSpendTheWindowToTheLastByte() {
        assertTrue(sender.tryPay(WINDOW));
        assertFalse(sender.tryPay(1));
        sender.refund(1);
        assertTrue(sender.tryPay(1));
    }

    @Test
    void shouldRefuseGrantsOfWhatWasNeverSpent() {
        assertTrue(sender.tryPay(10));
        assertFalse(sender.tryTakeGrant(11));
        assertFalse(sender.tryTakeGrant(0));
        assertFalse(sender.tryTakeGrant(-1));
        assertTrue(sender.tryTakeGrant(10));
    }

    @Test
    void shouldAdmitExactlyTheWindow() {
        assertTrue(receiver.tryAdmit(WINDOW));
        assertFalse(receiver.tryAdmit(1));
    }

    @Test
    void shouldGrantInQuartersOfTheWindow() {
        assertTrue(receiver.tryAdmit(WINDOW));
        assertFalse(receiver.addMatched(WINDOW / 4 - 1));
        assertTrue(receiver.addMatched(1));
        assertEquals(WINDOW / 4, receiver.due());
        receiver.clearDue();
        assertEquals(0, receiver.due());
        assertTrue(receiver.tryAdmit(WINDOW / 4), "what was granted may be used again");
        assertFalse(receiver.tryAdmit(1));
    }

    @Test
    void shouldNeverLeaveASenderWithoutCreditsForOneMoreMessage() {
        // What is matched and not yet granted stays below a quarter; the rest of the window takes the longest eager
        // message.
        int eagerMax = Credits.eagerMax(1 << 20, 8192, 1 << 20, 4096);
        assertEquals(4096 / 2, eagerMax);
        Credits tight = new Credits(eagerMax, 4096, 4096);
        assertTrue(tight.cost(eagerMax) <= 4096 - 4096 / 4 + 1);
    }

    @Test
    void shouldAgreeOnTheSmallerEagerMax() {
        assertEquals(10, Credits.eagerMax(10, 8192, 20, 8192));
        assertEquals(10, Credits.eagerMax(20, 8192, 10, 8192));
        assertEquals(0, Credits.eagerMax(20, 64, 10, 8192));
    }
}
