package io.fairlead.node.internal.receive;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.node.Message;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.internal.errors.Arguments;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.loop.LoopGroup;
import io.fairlead.node.internal.loop.LoopSemaphore;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.memory.Memory;
import io.fairlead.node.internal.memory.NativePool;
import io.fairlead.statistics.OperationKind;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Passes the receives of a node to its loops, and bounds how many wait. Thread-safe. */
public final class NodeReceives {
    private final LoopGroup group;
    private final Semaphore permits;
    private final List<LoopReceives> loops;

    public NodeReceives(LoopGroup group) {
        this.group = group;
        this.permits = new Semaphore(group.settings().receivesMax());
        this.loops = group.loops().stream()
                .map(loop -> new LoopReceives(this, loop, new LoopSemaphore(permits, loop)))
                .toList();
    }

    /** The receives that wait on a loop. */
    public LoopReceives on(ProgressLoop loop) {
        return loops.get(loop.index());
    }

    int loopCount() {
        return loops.size();
    }

    NativePool pool() {
        return group.pool();
    }

    /**
     * Receives a message.
     *
     * @param peer its source; null for any
     */
    public CompletableFuture<Message> receive(@Nullable SourcePeer peer, long tag, long tagMask, long maxLength) {
        Arguments.tag(tag);
        Arguments.tagMask(tagMask);
        Arguments.maxLength(maxLength);
        return submit(new NodeReceive(this, peer, tag, tagMask, maxLength, null));
    }

    /**
     * Receives a message into memory of the caller's.
     *
     * @param peer its source; null for any
     */
    public CompletableFuture<Message> receiveInto(
            @Nullable SourcePeer peer, MemorySegment buffer, long tag, long tagMask) {
        Arguments.tag(tag);
        Arguments.tagMask(tagMask);
        group.loops().forEach(loop -> Memory.requireTarget(buffer, loop.thread()));
        return submit(new NodeReceive(this, peer, tag, tagMask, buffer.byteSize(), buffer));
    }

    private CompletableFuture<Message> submit(NodeReceive receive) {
        NodeObserver observer = group.observer();
        if (observer != null) {
            receive.observe(observer, OperationKind.RECEIVE, Optional.ofNullable(receive.peer), 0);
        }
        long patienceNs = group.patienceNs();
        if (!tryAcquire(receive.peer, patienceNs)) {
            receive.refuseWithoutPermit(backPressure(receive));
        } else if (group.isStopping()) {
            receive.refuse(Failures.nodeClosed());
        } else if (!tryEnqueue(receive, patienceNs)) {
            receive.refuse(backPressure(receive));
            forget(receive);
        }
        return receive;
    }

    private boolean tryAcquire(@Nullable SourcePeer peer, long patienceNs) {
        return peer == null
                ? LoopSemaphore.tryAcquire(permits, patienceNs)
                : on(peer.loop()).semaphore().tryAcquire(patienceNs);
    }

    private boolean tryEnqueue(NodeReceive receive, long patienceNs) {
        SourcePeer peer = receive.peer;
        if (peer != null) {
            return peer.loop().enqueue(receive, patienceNs);
        }
        for (ProgressLoop loop : group.loops()) {
            if (!loop.enqueue(receive, patienceNs)) {
                return false;
            }
        }
        return true;
    }

    private static FairleadException backPressure(NodeReceive receive) {
        SourcePeer peer = receive.peer;
        return Failures.of(
                "receive of tag " + receive.tag,
                Status.BACK_PRESSURE,
                peer == null ? "any" : peer.toString(),
                Optional.empty());
    }

    /** The caller of a receive has withdrawn it. */
    void withdrawn(NodeReceive receive) {
        ended(receive.peer);
        forget(receive);
    }

    /** Removes a receive that has ended from the loops that have it. The others see its end when it reaches them. */
    private void forget(NodeReceive receive) {
        LoopTask.Action removal = removal(receive);
        SourcePeer peer = receive.peer;
        if (peer != null) {
            peer.loop().execute(removal);
        } else {
            group.loops().forEach(loop -> loop.execute(removal));
        }
    }

    /** A loop has a message for a receive. The other loops withdraw theirs. */
    void matched(NodeReceive receive, ProgressLoop by) {
        if (receive.peer == null && group.loops().size() > 1) {
            LoopTask.Action removal = removal(receive);
            for (ProgressLoop loop : group.loops()) {
                if (loop != by) {
                    loop.execute(removal);
                }
            }
        }
    }

    private LoopTask.Action removal(NodeReceive receive) {
        return new LoopTask.Action(loop -> on(loop).remove(receive));
    }

    /**
     * A receive that was counted no longer waits.
     *
     * @param by the peer on whose loop it ended; null for others
     */
    void ended(@Nullable SourcePeer by) {
        if (by == null) {
            permits.release();
        } else {
            on(by.loop()).semaphore().release();
        }
    }
}
