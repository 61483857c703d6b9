package io.fairlead.node.internal.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.node.internal.frame.RequestFrame;
import org.junit.jupiter.api.Test;

final class RequestTableTest {
    @Test
    void shouldGiveEachRequestASlotUntilItsAnswer() {
        RequestTable table = new RequestTable();
        int[] ids = new int[100];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = table.add(request());
            assertEquals(i, RequestFrame.slot(ids[i]));
        }
        assertEquals(100, table.count());
        assertTrue(table.tryBeginAnswer(ids[7]));
        assertFalse(table.tryBeginAnswer(ids[7]), "a second answer");
        assertFalse(table.tryBeginAnswer(RequestFrame.id(7, 2)), "of an earlier or later use of the slot");
        assertFalse(table.tryBeginAnswer(RequestFrame.id(100, 1)));
        assertFalse(table.tryBeginAnswer(RequestFrame.id(RequestFrame.SLOTS - 1, 1)));
        table.abandon(ids[8]);
        assertNull(table.request(ids[8]));
        assertTrue(table.tryBeginAnswer(ids[8]), "its answer still comes");
        table.remove(ids[7]);
        assertFalse(table.tryBeginAnswer(ids[7]));
        int again = table.add(request());
        assertEquals(7, RequestFrame.slot(again));
        assertFalse(table.tryBeginAnswer(ids[7]));
        assertTrue(table.tryBeginAnswer(again));
        table.clear();
        assertEquals(0, table.count());
        assertFalse(table.tryBeginAnswer(ids[0]));
        assertEquals(0, RequestFrame.slot(table.add(request())));
    }

    /** A request without a peer, which a table does not ask for. */
    @SuppressWarnings("NullAway")
    private static NodeRequest request() {
        return new NodeRequest(null, 0, 0, 0, false, null);
    }
}
