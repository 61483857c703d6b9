package io.fairlead.samples.training;

/**
 * A sequence that is cut into chunks of nearly equal length.
 *
 * @param total elements of the sequence
 * @param count how many chunks, 1 and up
 */
record Chunks(int total, int count) {
    /** The first element of a chunk. */
    int offset(int chunk) {
        return (int) ((long) chunk * total / count);
    }

    /** How many elements a chunk has. */
    int length(int chunk) {
        return offset(chunk + 1) - offset(chunk);
    }

    /** The length of the longest chunk. */
    int longest() {
        return (total + count - 1) / count;
    }
}
