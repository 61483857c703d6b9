package io.fairlead.internal.memory;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.TransportEndpoint;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The keys that were unpacked on one endpoint, which end with it. */
public final class EndpointKeys {
    /** The key that every transport accepts for a region served by its owner. */
    private static final byte[] SERVED = {};
    /** A peer that withdraws more regions than this serves all of them itself. */
    private static final int WITHDRAWN_MAX = 4096;

    private final KeyUser user;
    private final List<CoreRemoteKey> keys = new ArrayList<>();
    /** Regions that the peer must serve itself, whatever direct access it granted before. */
    private final Set<Long> withdrawn = new HashSet<>(0);
    /** The peer must serve every region, because there are too many to remember. */
    private boolean allWithdrawn;

    public EndpointKeys(KeyUser user) {
        this.user = user;
    }

    public CoreRemoteKey unpack(byte[] bytes) {
        TransportEndpoint using = user.transport();
        if (using == null) {
            throw new FairleadException(
                    Reason.CLOSED, "cannot unpack a remote key: " + user.description() + "; connect first");
        }
        byte[] packedKey =
                SealedKey.is(bytes) ? SealedKey.open(bytes, user.pathKey(KeyIssuer.label(!user.isConnector()))) : bytes;
        PackedKey key = PackedKey.decode(packedKey);
        if (key.incarnation() != user.peerIncarnation()) {
            throw new FairleadException(
                    Reason.STALE_KEY,
                    "remote key is of another incarnation: key=" + Long.toHexString(key.incarnation()) + ", peer="
                            + Long.toHexString(user.peerIncarnation()) + "; ask the peer for a new key");
        }
        PackedKey.verify(packedKey, user.peerSecret());
        byte[] part = key.transports().get(user.transportName());
        if (part == null) {
            throw new FairleadException(
                    Reason.UNSUPPORTED,
                    "remote region is not registered with this endpoint's transport: transport=" + user.transportName()
                            + ", registered=" + key.transports().keySet()
                            + "; an owner that decides by identity what peers may do gives other transports a key by"
                            + " MemoryRegion.packedKey(endpoint) alone");
        }
        boolean isServed = part.length == 0 || allWithdrawn || withdrawn.contains(key.regionId());
        RemoteMemory remote = using.unpack(isServed ? SERVED : part, key.region(), key.length());
        CoreRemoteKey unpacked = new CoreRemoteKey(this, key.region(), key.length(), key.rights(), remote, isServed);
        keys.add(unpacked);
        return unpacked;
    }

    /** Whether they are an endpoint's. */
    @SuppressWarnings("ReferenceEquality") // An endpoint is one object.
    boolean isOf(KeyUser endpoint) {
        return user == endpoint;
    }

    /** The endpoint, as text that is unique. */
    String owner() {
        return user.distinctName();
    }

    int endpointId() {
        return user.id();
    }

    void checkThread() {
        user.checkThread();
    }

    /** The caller has closed the key. */
    void forget(CoreRemoteKey key) {
        keys.remove(key);
    }

    /**
     * The peer has withdrawn rights to a region from this side. Existing and later keys of it remain usable: the peer
     * serves, and so decides, each operation from now on.
     */
    public void withdraw(long regionId) {
        if (withdrawn.size() == WITHDRAWN_MAX && !withdrawn.contains(regionId)) {
            allWithdrawn = true;
            withdrawn.clear();
        }
        if (!allWithdrawn) {
            withdrawn.add(regionId);
        }
        TransportEndpoint using = user.transport();
        for (CoreRemoteKey key : keys) {
            if (using != null && (allWithdrawn || key.regionId == regionId) && key.isUnchecked()) {
                key.withdraw(using.unpack(SERVED, key.region(), key.length()));
            }
        }
    }

    /** The peer has closed a region. */
    public void revoke(long regionId) {
        withdrawn.remove(regionId);
        for (CoreRemoteKey key : keys) {
            if (key.regionId == regionId) {
                key.revoke();
            }
        }
    }

    /** The endpoint accepts no more operations. */
    public void end() {
        CloseSteps.runAll(() -> CloseSteps.runEach(List.copyOf(keys), CoreRemoteKey::end), keys::clear);
    }
}
