package io.fairlead.internal.memory;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.util.Map;
import java.util.Set;

/** Makes keys of this context's regions for the peer of one endpoint alone. Belongs to the worker's thread. */
public final class KeyIssuer {
    private final KeyUser user;
    private final RegionAccess access;
    private final AdmittedRegions admitted;
    private final RegionTable regions;

    public KeyIssuer(KeyUser user, RegionAccess access, AdmittedRegions admitted, RegionTable regions) {
        this.user = user;
        this.access = access;
        this.admitted = admitted;
        this.regions = regions;
    }

    /** A key that allows what the peer may do, sealed for it. */
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
        // What the peer reaches without the owner it reaches with all of the region's rights.
        byte[] part = region.transportKey(transport, !rights.equals(region.rights()));
        if (part == null) {
            throw new FairleadException(
                    Reason.UNSUPPORTED,
                    "transport cannot give a peer less than the region's rights: transport=" + transport + ", rights="
                            + rights + ", region=" + region.rights() + "; make a region with these rights alone");
        }
        // The connection says who it is that asks for the region by its id; no other proof is needed.
        admitted.admit(region);
        return SealedKey.seal(region.pack(rights, Map.of(transport, part)), user.pathKey(label(user.isConnector())));
    }

    /** The key of the connection for keys that one side has issued. */
    static String label(boolean byConnector) {
        return byConnector ? "region keys of connector" : "region keys of listener";
    }
}
