package io.fairlead.services;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Worker;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tags of methods. */
final class MethodTagsTest {
    /** Other releases and other processes compute the same. */
    @Test
    void shouldNotChange() {
        assertEquals(181549159851348L, MethodTags.of("desk.v1/greet"));
    }

    @Test
    void shouldBeDistinctAndApartFromSmallTags() {
        Set<Long> tags = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            long tag = MethodTags.of("desk/method" + i);
            assertTrue(tag >= 1L << 47 && tag <= Worker.TAG_MAX, () -> "tag=" + tag);
            tags.add(tag);
        }
        assertEquals(100_000, tags.size());
    }
}
