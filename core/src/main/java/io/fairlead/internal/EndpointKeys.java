package io.fairlead.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.wire.PackedKey;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.TransportEndpoint;
import java.util.ArrayList;
import java.util.List;

/** The keys that were unpacked on one endpoint, and end with it. */
final class EndpointKeys {
    private final EndpointLife life;
    private final List<CoreRemoteKey> keys = new ArrayList<>();

    EndpointKeys(EndpointLife life) {
        this.life = life;
    }

    CoreRemoteKey unpack(byte[] packedKey) {
        TransportEndpoint using = life.transport();
        if (using == null) {
            throw new FairleadException(
                    Reason.CLOSED,
                    "cannot unpack a remote key: endpoint=" + life.label() + ", state=" + life.state()
                            + "; connect first");
        }
        PackedKey key = PackedKey.decode(packedKey);
        if (key.incarnation() != life.peerIncarnation()) {
            throw new FairleadException(
                    Reason.STALE_KEY,
                    "remote key is of another incarnation: key=" + Long.toHexString(key.incarnation()) + ", peer="
                            + Long.toHexString(life.peerIncarnation()) + "; ask the peer for a new key");
        }
        PackedKey.verify(packedKey, life.peerSecret());
        byte[] part = key.transports().get(life.transportName());
        if (part == null) {
            throw new FairleadException(
                    Reason.UNSUPPORTED,
                    "remote region is not registered with this endpoint's transport: transport=" + life.transportName()
                            + ", registered=" + key.transports().keySet());
        }
        RemoteMemory remote = using.unpack(part, key.regionId(), key.length());
        CoreRemoteKey unpacked = new CoreRemoteKey(life.endpoint(), key.regionId(), key.length(), key.rights(), remote);
        keys.add(unpacked);
        return unpacked;
    }

    /** The caller has closed the key. */
    void forget(CoreRemoteKey key) {
        keys.remove(key);
    }

    /** The peer has closed a region. */
    void revoke(long regionId) {
        for (CoreRemoteKey key : keys) {
            if (key.regionId == regionId) {
                key.revoke();
            }
        }
    }

    /** The endpoint takes no more operations. */
    void end() {
        for (CoreRemoteKey key : List.copyOf(keys)) {
            key.end();
        }
        keys.clear();
    }
}
