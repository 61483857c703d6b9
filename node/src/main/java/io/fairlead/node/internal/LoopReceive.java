package io.fairlead.node.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.MatchHandler;
import io.fairlead.MessageInfo;
import io.fairlead.Request;
import io.fairlead.spi.PrefacedMessage;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A node's receive as one of its loops has posted it. Belongs to the loop's thread; the worker calls it inside progress. */
final class LoopReceive implements MatchHandler, Completion {
    final NodeReceive receive;
    private final ProgressLoop loop;
    private final LoopReceives owner;

    /** Of the worker's receive. */
    long request;

    // Its place among those that wait.
    @Nullable LoopReceive previous;

    @Nullable LoopReceive next;

    boolean listed;

    /** Where the message came from that it has taken; null as long as it has taken none. */
    private @Nullable NodePeer source;

    private @Nullable ArrivedFrame frame;
    private MemorySegment buffer = MemorySegment.NULL;

    LoopReceive(NodeReceive receive, ProgressLoop loop, LoopReceives owner) {
        this.receive = receive;
        this.loop = loop;
        this.owner = owner;
    }

    /** Whether a message has matched it here. */
    boolean isMatched() {
        return source != null;
    }

    @Override
    public boolean accepts(Endpoint from) {
        NodePeer peer = loop.peers().of(from);
        return peer != null && (receive.peer == null || receive.peer == peer);
    }

    @Override
    public boolean tryMatch(MessageInfo message) {
        if (!receive.tryMatch()) {
            return false;
        }
        owner.matched(this);
        NodePeer from = Objects.requireNonNull(loop.peers().of(message.source().orElseThrow()), "peer");
        try {
            buffer = receive.bufferFor(message.length());
        } catch (OutOfMemoryError none) {
            // It must not stay in front, where the next receive would find it and no memory either.
            receive.failed(Failures.lost(from.toString(), message.tag(), message.length(), none));
        } catch (Throwable thrown) {
            // The caller's memory is of no use any more, but the message is still here.
            receive.fail(loop, thrown);
            return false;
        }
        source = from;
        frame = ((PrefacedMessage) message)
                .preface()
                .map(ArrivedFrame.class::cast)
                .orElse(null);
        loop.posted(receive);
        return true;
    }

    @Override
    public MemorySegment buffer() {
        return buffer;
    }

    @Override
    public void completed(Request ended) {
        NodePeer from = source;
        if (from == null) {
            // Withdrawn, or matched by another loop.
            return;
        }
        try {
            receive.ended(from, ended.status(), ended.tag(), ended.length());
        } catch (Throwable thrown) {
            // No memory for the message, for one: the future must end all the same.
            receive.failed(thrown);
        }
        deliverWhenFramed();
    }

    /** Delivers, once the frame before the message has been read. */
    void deliverWhenFramed() {
        ArrivedFrame before = frame;
        if (before == null || !before.isAwaitedBy(this)) {
            if (before != null) {
                receive.context(before.context());
            }
            loop.unposted(receive);
            loop.deliver(receive);
        }
    }
}
