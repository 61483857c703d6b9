package io.fairlead.cli.measure;

/**
 * What both sides of a contestant do in one turn.
 *
 * @param test how
 * @param size bytes of an operation
 * @param window operations in flight at once
 * @param count operations of the leading side
 * @param intervalNs time between operations that are due at fixed times; 0 without
 * @param batch operations that are timed together
 * @param numbered whether messages carry numbers, which the receiver compares
 */
public record Work(PerfTest test, int size, int window, int count, long intervalNs, int batch, boolean numbered) {
    /** As many as {@code ucx_perftest} has in flight. */
    private static final int WINDOW = 32;

    /** Operations of {@code fairlead perf}. */
    public static Work of(PerfTest test, int size, int window) {
        return new Work(test, size, window, 1, 0, 1, false);
    }

    /** Numbered messages: each answered before the next, or one after the other. */
    public static Work numbered(PerfTest test, int size) {
        return new Work(test, size, test.isRate() ? WINDOW : 1, 1, 0, 1, true);
    }

    public Work withCount(int other) {
        return new Work(test, size, window, other, intervalNs, batch, numbered);
    }

    public Work withInterval(long otherNs) {
        return new Work(test, size, window, count, otherNs, batch, numbered);
    }

    public Work withBatch(int other) {
        return new Work(test, size, window, count, intervalNs, other, numbered);
    }

    /** Whether two turns differ in nothing but how long they take. */
    public boolean isLike(Work other) {
        return test == other.test && size == other.size && window == other.window;
    }

    /** As {@link #parse} reads it. */
    public String text() {
        return test.label() + " " + size + " " + window + " " + count + " " + intervalNs + " " + batch + " " + numbered;
    }

    public static Work parse(String text) {
        String[] parts = text.split(" ", -1);
        return new Work(
                PerfTest.named(parts[0]),
                Integer.parseInt(parts[1]),
                Integer.parseInt(parts[2]),
                Integer.parseInt(parts[3]),
                Long.parseLong(parts[4]),
                Integer.parseInt(parts[5]),
                Boolean.parseBoolean(parts[6]));
    }
}
