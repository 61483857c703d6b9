package io.fairlead.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.statistics.OperationKind;
import org.junit.jupiter.api.Test;

class CoreOperationTest {
    @Test
    void shouldNumberKindsLikeTheApi() {
        assertEquals(CoreOperation.SEND, OperationKind.SEND.ordinal());
        assertEquals(CoreOperation.RECEIVE, OperationKind.RECEIVE.ordinal());
        assertEquals(CoreOperation.PUT, OperationKind.PUT.ordinal());
        assertEquals(CoreOperation.GET, OperationKind.GET.ordinal());
        assertEquals(CoreOperation.ATOMIC, OperationKind.ATOMIC.ordinal());
        assertEquals(CoreOperation.FLUSH, OperationKind.FLUSH.ordinal());
    }
}
