package io.fairlead.transport.ucx;

import java.util.Arrays;

/** The parts of one worker's endpoints that have something to do in the next progress. */
final class DueParts {
    /** A part of an endpoint. */
    interface Part {
        /** Does what is due; false if more is due in the next turn. */
        boolean takeTurn();
    }

    private Part[] parts = new Part[16];
    private int count;

    void add(Part part) {
        if (count == parts.length) {
            parts = Arrays.copyOf(parts, 2 * count);
        }
        parts[count++] = part;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Gives each part a turn; returns their number. */
    int progress() {
        int kept = 0;
        int before = count;
        for (int i = 0; i < before; i++) {
            Part part = parts[i];
            if (!part.takeTurn()) {
                parts[kept++] = part;
            }
        }
        // What was added meanwhile is behind the others.
        int added = count - before;
        System.arraycopy(parts, before, parts, kept, added);
        Arrays.fill(parts, kept + added, count, null);
        count = kept + added;
        return before;
    }
}
