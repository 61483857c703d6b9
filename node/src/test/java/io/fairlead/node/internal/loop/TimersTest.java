package io.fairlead.node.internal.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TimersTest {
    private final Timers timers = new Timers();
    private final List<String> seen = new ArrayList<>();

    @Test
    void shouldRunOtherTimersThoughOneThrows() {
        timers.after(0, () -> {
            throw new OutOfMemoryError("thrown by the test");
        });
        timers.after(
                0,
                () -> {
                    throw new IllegalStateException("second");
                },
                thrown -> seen.add(thrown.getMessage()));
        timers.after(
                0,
                () -> {
                    throw new IllegalStateException("third");
                },
                _ -> {
                    throw new IllegalStateException("thrown while it ends");
                });
        timers.after(0, () -> seen.add("last"));
        while (!seen.contains("last")) {
            timers.run();
        }
        assertEquals(List.of("second", "last"), seen);
    }
}
