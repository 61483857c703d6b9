package io.fairlead.internal.memory;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.TransportEndpoint;
import java.util.ArrayList;
import java.util.List;

/** The keys that were unpacked on one endpoint, and end with it. */
public final class EndpointKeys {
    private final KeyUser user;
    private final List<CoreRemoteKey> keys = new ArrayList<>();

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
        RemoteMemory remote = using.unpack(part, key.region(), key.length());
        CoreRemoteKey unpacked = new CoreRemoteKey(this, key.regionId(), key.length(), key.rights(), remote);
        keys.add(unpacked);
        return unpacked;
    }

    /** The endpoint, in words that tell it from all others. */
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

    /** The peer has closed a region. */
    public void revoke(long regionId) {
        for (CoreRemoteKey key : keys) {
            if (key.regionId == regionId) {
                key.revoke();
            }
        }
    }

    /** The endpoint takes no more operations. */
    public void end() {
        CloseSteps.runAll(() -> CloseSteps.runEach(List.copyOf(keys), CoreRemoteKey::end), keys::clear);
    }
}
