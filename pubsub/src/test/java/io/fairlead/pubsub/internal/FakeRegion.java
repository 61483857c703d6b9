package io.fairlead.pubsub.internal;

import io.fairlead.AccessRight;
import io.fairlead.Endpoint;
import io.fairlead.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A region that no transport knows. */
final class FakeRegion implements MemoryRegion {
    private final MemorySegment segment;
    private boolean closed;

    FakeRegion(long bytes) {
        segment = Arena.ofAuto().allocate(bytes, 4096);
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    @Override
    public Set<AccessRight> rights() {
        return Set.of(AccessRight.READ);
    }

    @Override
    public String label() {
        return "";
    }

    @Override
    public byte[] packedKey() {
        return new byte[64];
    }

    @Override
    public byte[] packedKey(Endpoint endpoint) {
        return new byte[64];
    }

    @Override
    public void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }
}
