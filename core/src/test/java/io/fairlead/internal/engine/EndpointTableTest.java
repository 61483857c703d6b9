package io.fairlead.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EndpointTableTest {
    @Test
    void shouldUseEveryNumberBeforeOneAgain() {
        EndpointTable table = new EndpointTable(65_535);
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < 65_535; i++) {
            int id = table.freeId();
            assertTrue(id >= 1 && id <= 65_535 && seen.add(id), "id=" + id);
        }
        assertEquals(1, table.freeId());
    }
}
