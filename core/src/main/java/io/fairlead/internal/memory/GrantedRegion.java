package io.fairlead.internal.memory;

import io.fairlead.AccessRight;
import io.fairlead.spi.LocalRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A region as one peer may use it. */
final class GrantedRegion implements LocalRegion {
    private final CoreRegion region;
    private final Set<AccessRight> rights;
    /** Under which rules this was decided. */
    private final int version;
    /** Refused for a limit alone. */
    private final boolean isOverLimit;

    GrantedRegion(CoreRegion region, Set<AccessRight> rights, int version, boolean isOverLimit) {
        this.region = region;
        this.rights = rights;
        this.version = version;
        this.isOverLimit = isOverLimit;
    }

    CoreRegion region() {
        return region;
    }

    /** What the peer may do; not more than the region allows, and empty if it is refused. */
    Set<AccessRight> rights() {
        return rights;
    }

    int version() {
        return version;
    }

    boolean isOverLimit() {
        return isOverLimit;
    }

    @Override
    public MemorySegment segment() {
        return region.segment();
    }

    @Override
    public boolean allows(AccessRight right) {
        return region.allows(right);
    }

    @Override
    public boolean isGranted(AccessRight right) {
        return rights.contains(right);
    }

    @Override
    public void release() {
        region.release();
    }
}
