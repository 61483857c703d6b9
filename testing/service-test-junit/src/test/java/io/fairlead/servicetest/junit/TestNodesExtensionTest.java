package io.fairlead.servicetest.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.FairleadException;
import io.fairlead.servicetest.TestNodes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/** What a test gets, and that it ends with the test. */
@Timeout(60)
@WithTestNodes
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class TestNodesExtensionTest {
    private static @Nullable TestNodes former;

    private @Nullable TestNodes before;

    @BeforeEach
    void take(TestNodes nodes) {
        before = nodes;
    }

    @Test
    @Order(1)
    void shouldHaveOneMember(TestNodes nodes) {
        assertSame(before, nodes);
        assertEquals(1, nodes.peers().peers().size());
        former = nodes;
    }

    @Test
    @Order(2)
    @WithTestNodes(members = 2)
    void shouldHaveNodesOfItsOwn(TestNodes nodes) {
        assertNotSame(former, nodes);
        assertEquals(2, nodes.peers().peers().size());
        TestNodes closed = former;
        if (closed != null) {
            assertThrows(FairleadException.class, () -> closed.service().listen("127.0.0.1:0", peer -> {}));
        }
    }

    @Nested
    @WithTestNodes(members = 3)
    final class WithThree {
        @Test
        void shouldHaveTheMembersOfTheNearestAnnotation(TestNodes nodes) {
            assertEquals(3, nodes.peers().peers().size());
        }
    }
}
