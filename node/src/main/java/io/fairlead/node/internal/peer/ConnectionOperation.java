package io.fairlead.node.internal.peer;

import io.fairlead.Endpoint;
import io.fairlead.MemoryRegion;
import io.fairlead.Status;
import io.fairlead.node.PeerKey;
import io.fairlead.statistics.OperationKind;

/** The operations without data: flush, fence, and the packing and unpacking of keys. */
abstract class ConnectionOperation<T> extends PeerOperation<T> {
    private ConnectionOperation(NodePeer peer) {
        super(peer);
    }

    /** A flush. */
    static final class Flush extends ConnectionOperation<Void> {
        Flush(NodePeer peer) {
            super(peer);
        }

        @Override
        long post(Endpoint endpoint) {
            return endpoint.flush(this);
        }

        @Override
        OperationKind kind() {
            return OperationKind.FLUSH;
        }

        @Override
        String describe() {
            return "flush";
        }
    }

    /** A fence, done when it is posted. */
    static final class Fence extends ConnectionOperation<Void> {
        Fence(NodePeer peer) {
            super(peer);
        }

        @Override
        long post(Endpoint endpoint) {
            return endpoint.fence();
        }

        @Override
        String describe() {
            return "fence";
        }
    }

    /** Unpacks a key, in order with the other operations, so that it waits for a connection like them. */
    static final class Unpack extends ConnectionOperation<PeerKey> {
        private final byte[] packedKey;

        Unpack(NodePeer peer, byte[] packedKey) {
            super(peer);
            this.packedKey = packedKey;
        }

        @Override
        long post(Endpoint endpoint) {
            succeed(new NodeKey(peer, endpoint, endpoint.unpack(packedKey)));
            return Status.OK.code();
        }

        @Override
        String describe() {
            return "unpack of a remote key of " + packedKey.length + " bytes";
        }
    }

    /** Packs a key for this peer only, in order with the other operations like {@link Unpack}. */
    static final class Pack extends ConnectionOperation<byte[]> {
        private final MemoryRegion region;

        Pack(NodePeer peer, MemoryRegion region) {
            super(peer);
            this.region = region;
        }

        @Override
        long post(Endpoint endpoint) {
            succeed(region.packedKey(endpoint));
            return Status.OK.code();
        }

        @Override
        String describe() {
            return "packing of a remote key of " + region.length() + " bytes";
        }
    }
}
