package io.fairlead.benchmarks.scale;

import java.util.List;

/** The transports that tables have lines for. */
final class Series {
    static final String SHM = "shm";
    static final String TCP = "tcp";
    static final List<String> ALL = List.of(SHM, TCP);

    private Series() {}
}
