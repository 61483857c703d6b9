package io.fairlead.benchmarks.contest;

/**
 * What is done in one turn, by both sides.
 *
 * @param kind how
 * @param size bytes of a message
 * @param count messages of the leading side
 * @param intervalNs between the times at which messages are due, for {@link Kind#ASK}; 0 without
 */
public record Work(Kind kind, int size, int count, long intervalNs) {
    /** How messages go. */
    public enum Kind {
        /** Each is answered before the next. */
        ASK,
        /** One after the other, one way. */
        STREAM
    }

    /** At most so many messages are on their way at once, either way. */
    int inFlight() {
        return kind == Kind.ASK ? 1 : Integer.MAX_VALUE;
    }

    Work withCount(int other) {
        return new Work(kind, size, other, intervalNs);
    }

    /** The same, each as soon as the one before is answered. */
    Work withoutInterval() {
        return new Work(kind, size, count, 0);
    }

    String text() {
        return kind + " " + size + " " + count + " " + intervalNs;
    }

    static Work parse(String text) {
        String[] parts = text.split(" ", -1);
        return new Work(
                Kind.valueOf(parts[0]),
                Integer.parseInt(parts[1]),
                Integer.parseInt(parts[2]),
                Long.parseLong(parts[3]));
    }
}
