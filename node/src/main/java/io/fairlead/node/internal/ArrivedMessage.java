package io.fairlead.node.internal;

import io.fairlead.Endpoint;
import io.fairlead.MessageInfo;
import io.fairlead.observation.MessageContext;
import org.jspecify.annotations.Nullable;

/** A message that the loop has claimed from its worker, and that a receive matches now or later. */
final class ArrivedMessage {
    final MessageInfo info;
    final NodePeer source;
    final Endpoint endpoint;
    final long tag;
    final long length;
    final long sequence;
    /** What came before it in a frame of its own. */
    MessageContext context = MessageContext.EMPTY;
    /** Its endpoint ended before all of it was here. */
    boolean lost;
    /** Its endpoint has ended, and with it the bound on what may wait here. */
    boolean orphan;

    @Nullable ArrivedMessage previous;

    @Nullable ArrivedMessage next;

    ArrivedMessage(MessageInfo info, NodePeer source, Endpoint endpoint, long sequence) {
        this.info = info;
        this.source = source;
        this.endpoint = endpoint;
        this.tag = info.tag();
        this.length = info.length();
        this.sequence = sequence;
    }
}
