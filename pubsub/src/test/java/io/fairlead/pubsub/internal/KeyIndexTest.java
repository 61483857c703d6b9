package io.fairlead.pubsub.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class KeyIndexTest {
    @Test
    void shouldKeepThePlaceOfAKey() {
        KeyIndex index = new KeyIndex(2);
        int first = index.place(7);
        int second = index.place(-7);
        assertTrue(first != second);
        assertEquals(first, index.place(7));
        assertEquals(second, index.place(-7));
    }

    @Test
    void shouldGiveThePlaceOfTheKeyThatWasUsedLongestAgo() {
        KeyIndex index = new KeyIndex(2);
        int first = index.place(1);
        int second = index.place(2);
        index.place(1);
        assertEquals(second, index.place(3), "2 was used longest ago");
        assertEquals(first, index.place(1), "1 was used since");
    }

    @Test
    void shouldWorkWithASinglePlace() {
        KeyIndex index = new KeyIndex(1);
        for (long key = 0; key < 100; key++) {
            assertEquals(0, index.place(key));
        }
        assertEquals(1, index.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 1000})
    void shouldAgreeWithAModel(int capacity) {
        KeyIndex index = new KeyIndex(capacity);
        Map<Long, Integer> model = new LinkedHashMap<>(16, 0.75f, true);
        Map<Integer, Long> owners = new HashMap<>();
        SplittableRandom random = new SplittableRandom(capacity);
        for (int i = 0; i < 50_000; i++) {
            // Twice as many keys as places, and close together, so that runs of the table are long.
            long key = random.nextInt(capacity * 2 + 1) - capacity / 2;
            int place = index.place(key);
            Integer expected = model.get(key);
            if (expected != null) {
                assertEquals(expected, place);
            } else if (model.size() < capacity) {
                assertTrue(!owners.containsKey(place), "place is taken");
            } else {
                long oldest = model.keySet().iterator().next();
                assertEquals(model.remove(oldest), place, "place of the key used longest ago");
            }
            model.put(key, place);
            owners.put(place, key);
            assertEquals(model.size(), index.size());
        }
    }
}
