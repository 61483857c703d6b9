package io.fairlead.node.internal;

import io.fairlead.Endpoint;
import io.fairlead.observation.MessageContext;
import io.fairlead.statistics.OperationKind;

/** A send; {@link Synchronous} waits for the match. */
class SendOperation extends PeerOperation<Void> {
    final Memory memory;
    final long tag;

    SendOperation(NodePeer peer, Memory memory, long tag) {
        super(peer);
        this.memory = memory;
        this.tag = tag;
    }

    @Override
    long post(Endpoint endpoint) {
        return endpoint.send(memory.segment(), 0, memory.length(), tag, this, 0);
    }

    /** What the message is to bring along. */
    final MessageContext context() {
        return observedContext();
    }

    @Override
    final OperationKind kind() {
        return OperationKind.SEND;
    }

    @Override
    final long length() {
        return memory.length();
    }

    @Override
    final String describe() {
        return "send of " + memory.length() + " bytes with tag " + tag;
    }

    @Override
    final Memory memory() {
        return memory;
    }

    @Override
    final void release() {
        memory.release();
    }

    /** A send that completes when it is matched. */
    static final class Synchronous extends SendOperation {
        Synchronous(NodePeer peer, Memory memory, long tag) {
            super(peer, memory, tag);
        }

        @Override
        long post(Endpoint endpoint) {
            return endpoint.sendSynchronous(memory.segment(), 0, memory.length(), tag, this, 0);
        }
    }
}
