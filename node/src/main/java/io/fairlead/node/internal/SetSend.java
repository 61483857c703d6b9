package io.fairlead.node.internal;

import java.util.concurrent.CompletableFuture;

/** A send to some member of a set; {@link Synchronous} waits for the match. */
class SetSend extends SetCall<Void> {
    private final Memory memory;
    final long tag;

    SetSend(NodePeerSet set, Memory memory, long tag) {
        super(set);
        this.memory = memory;
        this.tag = tag;
    }

    /** The message as a member's loop sees it: what the set holds is native, and stays until the last attempt has ended. */
    final Memory source(NodePeer peer) {
        return Memory.source(memory.segment().asSlice(0, memory.length()), peer.loop());
    }

    SendOperation operation(NodePeer peer) {
        return new SendOperation(peer, source(peer), tag);
    }

    @Override
    final CompletableFuture<Void> attempt(NodePeer peer, long patienceNs) {
        return peer.submit(operation(peer), patienceNs);
    }

    @Override
    final boolean hasNotLeft(CompletableFuture<Void> attempt, Throwable failure) {
        return attempt instanceof NodeOperation<?> operation && !operation.isPosted();
    }

    @Override
    final String describe() {
        return "send of " + memory.length() + " bytes with tag " + tag;
    }

    @Override
    final void release() {
        memory.release();
    }

    /** A send that completes when it is matched. */
    static final class Synchronous extends SetSend {
        Synchronous(NodePeerSet set, Memory memory, long tag) {
            super(set, memory, tag);
        }

        @Override
        SendOperation operation(NodePeer peer) {
            return new SendOperation.Synchronous(peer, source(peer), tag);
        }
    }
}
