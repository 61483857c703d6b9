package io.fairlead.internal.memory;

import io.fairlead.AccessRight;
import io.fairlead.spi.LocalRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A region with the rights of one peer. */
final class GrantedRegion implements LocalRegion {
    private final CoreRegion region;
    private final Set<AccessRight> rights;
    /** The version of the rules of this decision. */
    private final int version;
    /** Refused only because of a limit. */
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

    /** The peer's rights: a subset of the region's rights, empty if access is refused. */
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
