package io.fairlead.spi.served;

/** A peer's region that is known by its id alone. */
record ServedRegion(long regionId) implements ServedMemory {
    @Override
    public void close() {
        // Nothing is held for it.
    }
}
