package io.fairlead.node.internal.set;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.node.internal.loop.NodeOperation;
import io.fairlead.node.internal.memory.ByteLimit;
import io.fairlead.node.internal.memory.Memory;
import io.fairlead.node.internal.peer.NodePeer;
import io.fairlead.node.internal.peer.SendOperation;
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

    /** Copies the message if it has to be copied. Returns false if the limit of bytes stays reached. */
    final boolean tryStage(ByteLimit limit, long waitNs) {
        return memory.tryStage(limit, waitNs);
    }

    /** The message as a member's loop sees it: what the set holds is native, and stays until the last attempt has ended. */
    final Memory source(NodePeer peer) {
        return Memory.source(
                memory.segment().asSlice(0, memory.length()), peer.loop().thread());
    }

    SendOperation operation(NodePeer peer) {
        return new SendOperation(peer, source(peer), tag);
    }

    @Override
    final CompletableFuture<Void> attempt(NodePeer peer, long patienceNs) {
        return peer.submit(operation(peer), patienceNs);
    }

    @Override
    final Failed assess(CompletableFuture<Void> attempt, Throwable failure) {
        if (!(attempt instanceof NodeOperation<?> operation) || operation.isPosted()) {
            return Failed.FOR_GOOD;
        }
        return statusOf(failure) == Status.BACK_PRESSURE ? Failed.NO_ROOM : Failed.ELSEWHERE;
    }

    private static Status statusOf(Throwable failure) {
        return failure instanceof FairleadException known ? known.status().orElse(Status.OK) : Status.OK;
    }

    @Override
    final Throwable explain(SetMember member, Throwable failure) {
        Status status = statusOf(failure);
        return failure instanceof FairleadException known && (status == Status.PEER_FAILED || status == Status.CLOSED)
                ? set.failures().lost(describe(), member.member(), known)
                : failure;
    }

    @Override
    final Throwable failure(SetFailures.Shortage shortage) {
        return set.failures().of(describe(), shortage);
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
