package io.fairlead.node.internal.peer;

import io.fairlead.Endpoint;
import io.fairlead.node.internal.context.ContextOutlet;
import io.fairlead.node.internal.memory.Memory;
import io.fairlead.observation.MessageContext;
import io.fairlead.statistics.OperationKind;

/** A send; {@link Synchronous} waits for the match. */
public class SendOperation extends PeerOperation<Void> implements ContextOutlet.Outgoing {
    private final Memory memory;
    private final long tag;

    public SendOperation(NodePeer peer, Memory memory, long tag) {
        super(peer);
        this.memory = memory;
        this.tag = tag;
    }

    @Override
    public long post(Endpoint endpoint) {
        return endpoint.send(memory.segment(), 0, memory.length(), tag, this, 0);
    }

    @Override
    public final long tag() {
        return tag;
    }

    @Override
    public final MessageContext context() {
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
    public static final class Synchronous extends SendOperation {
        public Synchronous(NodePeer peer, Memory memory, long tag) {
            super(peer, memory, tag);
        }

        @Override
        public long post(Endpoint endpoint) {
            return endpoint.sendSynchronous(memory().segment(), 0, length(), tag(), this, 0);
        }
    }
}
