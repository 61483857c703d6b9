package io.fairlead.node.internal.peer;

import io.fairlead.AccessRight;
import io.fairlead.Endpoint;
import io.fairlead.RemoteKey;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerKey;
import io.fairlead.node.internal.loop.LoopTask;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A remote key for any thread. The engine's key is freed on the loop's thread, when the caller has closed this one and the last
 * operation with it has ended.
 */
final class NodeKey implements PeerKey {
    /** Added to the uses by {@link #close()}. It exceeds any number of uses, so a negative count means closed. */
    private static final int CLOSED = Integer.MIN_VALUE;

    private final NodePeer peer;
    private final Endpoint endpoint;
    private final RemoteKey remote;
    private final long length;
    private final Set<AccessRight> rights;
    private final AtomicInteger uses = new AtomicInteger();

    /** On the loop's thread. */
    NodeKey(NodePeer peer, Endpoint endpoint, RemoteKey remote) {
        this.peer = peer;
        this.endpoint = endpoint;
        this.remote = remote;
        this.length = remote.length();
        this.rights = remote.rights();
    }

    /** Refuses what the rules forbid, on the caller's thread. */
    void check(NodePeer caller, AccessRight right, String operation, long offset, long count) {
        if (caller != peer) {
            throw new IllegalArgumentException(
                    "remote key is of another peer: key=" + peer + ", peer=" + caller + "; unpack it on this peer");
        }
        requireOpen(uses.get());
        if (!rights.contains(right)) {
            throw new IllegalArgumentException(
                    "remote key lacks the right: operation=" + operation + ", needed=" + right + ", rights=" + rights);
        }
        if (offset < 0 || offset > length - count) {
            throw new IndexOutOfBoundsException(operation + " exceeds memory region: offset=" + offset + ", length="
                    + count + ", regionLength=" + length + " bytes");
        }
    }

    /** The endpoint itself: another connection to the same peer has other keys. */
    @SuppressWarnings("ReferenceEquality")
    boolean isOf(Endpoint candidate) {
        return endpoint == candidate;
    }

    RemoteKey remote() {
        return remote;
    }

    /** Begins a use; {@link #release()} ends it. */
    void acquire() {
        requireOpen(uses.getAndUpdate(count -> count < 0 ? count : count + 1));
    }

    private void requireOpen(int count) {
        if (count < 0) {
            throw new IllegalStateException("remote key is closed: peer=" + peer + "; unpack it again");
        }
    }

    void release() {
        if (uses.decrementAndGet() == CLOSED) {
            free();
        }
    }

    @Override
    public void close() {
        int now = uses.getAndUpdate(count -> count < 0 ? count : count + CLOSED);
        if (now == 0) {
            free();
        }
    }

    private void free() {
        peer.loop().execute(new LoopTask.Action(_ -> remote.close()));
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public Set<AccessRight> rights() {
        return rights;
    }

    @Override
    public Peer peer() {
        return peer;
    }

    @Override
    public String toString() {
        return "remote key of " + peer + "[length=" + length + ", rights=" + rights + "]";
    }
}
