package io.fairlead.cli.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Values that tell whose they are. */
@Timeout(60)
final class BenchValueTest {
    /** What the cache takes of a key and its value together. */
    private static final int ENTRY_MAX = 232;

    @Test
    void shouldTellTheVersionOfAValueOnlyIfItIsThatOfItsKey() {
        assertEquals(7, BenchValue.version(3, BenchValue.of(3, 7)));
        assertEquals(-1, BenchValue.version(4, BenchValue.of(3, 7)));
        assertEquals(-1, BenchValue.version(3, bytes("3 8 " + "whatever")));
        assertEquals(-1, BenchValue.version(3, bytes("nothing")));
        assertTrue(BenchValue.key(2999).length + BenchValue.of(2999, Integer.MAX_VALUE).length <= ENTRY_MAX);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
