package io.fairlead.spi.served;

/** A region of the peer for which this side holds its id and nothing else. */
record ServedRegion(long regionId) implements ServedMemory {
    @Override
    public void close() {
        // Nothing is held for it.
    }
}
