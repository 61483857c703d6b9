package io.fairlead.internal.memory;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.LocalRegion;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Creates keys of this context's regions for the peer of one endpoint only. Belongs to the worker's thread. */
public final class KeyIssuer {
    private final KeyUser user;
    private final RegionAccess access;
    private final AdmittedRegions admitted;
    private final RegionTable regions;
    /** Regions that the peer accesses without their owner, by keys that were created for it alone. */
    private final Set<CoreRegion> unchecked = Collections.newSetFromMap(new IdentityHashMap<>(0));
    /** Regions that it accessed in that way until its rights were reduced. */
    private final Set<CoreRegion> withdrawn = Collections.newSetFromMap(new IdentityHashMap<>(0));
    /** Withdrawn regions that were not reported to the peer yet. */
    private final ArrayDeque<CoreRegion> unreported = new ArrayDeque<>(0);

    public KeyIssuer(KeyUser user, RegionAccess access, RegionTable regions) {
        this.user = user;
        this.access = access;
        this.admitted = new AdmittedRegions(regions);
        this.regions = regions;
    }

    /** The regions that the peer may access by their ids. */
    public AdmittedRegions admitted() {
        return admitted;
    }

    /** Finds a region that the peer may access, and keeps it from being freed; null for any other. */
    public @Nullable LocalRegion acquire(long regionId) {
        CoreRegion region = admitted.find(regionId);
        return region == null ? null : access.acquire(region);
    }

    /** A key with the peer's rights, sealed for it. */
    public byte[] issue(long regionId) {
        if (user.transport() == null) {
            throw new FairleadException(
                    Reason.CLOSED, "cannot make a remote key: " + user.description() + "; connect first");
        }
        CoreRegion region = regions.find(regionId);
        if (region == null || !region.acquire()) {
            throw new FairleadException(
                    Reason.REVOKED, "cannot make a remote key of a closed memory region: " + user.description());
        }
        try {
            return sealed(region);
        } finally {
            region.release();
        }
    }

    private byte[] sealed(CoreRegion region) {
        Set<AccessRight> rights = access.rights(region);
        if (rights.isEmpty()) {
            throw new FairleadException(
                    Reason.REFUSED,
                    "peer may not reach the region: " + user.description() + ", region="
                            + (region.label().isEmpty() ? "(no label)" : region.label()) + ", length="
                            + region.length() + " bytes, " + access.whyNone(region));
        }
        String transport = user.transportName();
        // Access without the owner has all of the region's rights.
        boolean isServed = !rights.equals(region.rights()) || withdrawn.contains(region);
        byte[] part = region.transportKey(transport, isServed);
        if (part == null) {
            throw new FairleadException(
                    Reason.UNSUPPORTED,
                    "transport cannot give a peer less than the region's rights: transport=" + transport + ", rights="
                            + rights + ", region=" + region.rights() + "; make a region with these rights alone");
        }
        if (!isServed && part.length > 0 && access.mayChange()) {
            unchecked.add(region);
        }
        // The connection authenticates the peer that accesses the region by its id; no other proof is needed.
        admitted.admit(region);
        return SealedKey.seal(region.pack(rights, Map.of(transport, part)), user.pathKey(label(user.isConnector())));
    }

    /**
     * Reviews the regions that the peer accesses without their owner, because other rules are in force. If the peer has
     * fewer rights now, it must send operations to the owner, who decides each.
     *
     * @return why the endpoint must end, because its transport cannot do that; null if it can go on
     */
    public @Nullable FairleadException review() {
        String transport = user.transportName();
        for (CoreRegion region : List.copyOf(unchecked)) {
            if (access.rights(region).equals(region.rights())) {
                continue;
            }
            unchecked.remove(region);
            if (region.transportKey(transport, true) == null) {
                return new FairleadException(
                        Reason.REFUSED,
                        "peer may do less to a region than before, and reaches it without its owner: "
                                + user.description() + ", transport=" + transport + ", region="
                                + (region.label().isEmpty() ? "(no label)" : region.label()) + ", length="
                                + region.length() + " bytes; it may connect again for what it may do");
            }
            withdrawn.add(region);
            unreported.add(region);
        }
        return null;
    }

    /** Whether withdrawn regions are not reported to the peer yet. */
    public boolean hasUnreported() {
        return !unreported.isEmpty();
    }

    /**
     * Reports to the peer which regions it must access through the owner.
     *
     * @param sender sends the id of a region, and returns false if that must be retried
     */
    public void report(LongPredicate sender) {
        for (CoreRegion next = unreported.peek(); next != null && sender.test(next.id()); next = unreported.peek()) {
            unreported.remove();
        }
    }

    /** A region is closed. */
    public void forget(long regionId) {
        access.forget(regionId);
        unchecked.removeIf(region -> region.id() == regionId);
        withdrawn.removeIf(region -> region.id() == regionId);
        unreported.removeIf(region -> region.id() == regionId);
    }

    /** The endpoint has ended. */
    public void end() {
        unchecked.clear();
        withdrawn.clear();
        unreported.clear();
        access.end();
    }

    /** The label of the connection's key for keys that one side has issued. */
    static String label(boolean byConnector) {
        return byConnector ? "region keys of connector" : "region keys of listener";
    }
}
