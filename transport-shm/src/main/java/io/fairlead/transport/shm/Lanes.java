package io.fairlead.transport.shm;

import java.util.List;

/** The names of the lanes of a path over shared memory. */
final class Lanes {
    private static final List<String> RINGS = List.of("rings");
    private static final List<String> RINGS_AND_READING = List.of("rings", "cma");

    private Lanes() {}

    /** Rings, and cross-memory attach if the sender's memory may be read. */
    static List<String> of(boolean reads) {
        return reads ? RINGS_AND_READING : RINGS;
    }
}
