package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.node.Message;
import io.fairlead.node.NodeObserver;
import io.fairlead.statistics.OperationKind;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Hands the receives of a node to its loops, and bounds how many wait. Thread-safe. */
final class NodeReceives {
    private final NodeEngine node;
    private final Semaphore room;

    NodeReceives(NodeEngine node, int max) {
        this.node = node;
        this.room = new Semaphore(max);
    }

    CompletableFuture<Message> submit(NodeReceive receive) {
        NodeObserver told = node.observer();
        if (told != null) {
            receive.observe(told, OperationKind.RECEIVE, Optional.ofNullable(receive.peer), 0);
        }
        long patienceNs = node.patienceNs();
        if (!tryAcquire(receive.peer, patienceNs)) {
            receive.refuseWithoutPermit(noRoom(receive));
        } else if (node.isStopping()) {
            receive.refuse(Failures.nodeClosed());
        } else if (!tryEnqueue(receive, patienceNs)) {
            receive.refuse(noRoom(receive));
            forget(receive);
        }
        return receive;
    }

    private boolean tryAcquire(@Nullable NodePeer peer, long patienceNs) {
        return peer == null
                ? Permits.tryAcquire(room, patienceNs)
                : peer.loop().receivePermits().tryAcquire(patienceNs);
    }

    private boolean tryEnqueue(NodeReceive receive, long patienceNs) {
        NodePeer peer = receive.peer;
        if (peer != null) {
            return peer.loop().enqueue(receive, patienceNs);
        }
        for (ProgressLoop loop : node.loops()) {
            if (!loop.enqueue(receive, patienceNs)) {
                return false;
            }
        }
        return true;
    }

    private static FairleadException noRoom(NodeReceive receive) {
        NodePeer peer = receive.peer;
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

    /** Takes a receive that has ended out of the loops that have it by now; the others see its end when they come to it. */
    private void forget(NodeReceive receive) {
        Action removal = removal(receive);
        NodePeer peer = receive.peer;
        if (peer != null) {
            peer.loop().execute(removal);
        } else {
            node.loops().forEach(loop -> loop.execute(removal));
        }
    }

    /** A loop has a message for a receive: the others need not wait for one. */
    void matched(NodeReceive receive, ProgressLoop by) {
        if (receive.peer == null && node.loops().size() > 1) {
            Action removal = removal(receive);
            for (ProgressLoop loop : node.loops()) {
                if (loop != by) {
                    loop.execute(removal);
                }
            }
        }
    }

    private static Action removal(NodeReceive receive) {
        return new Action(loop -> loop.receives().remove(receive));
    }

    /**
     * A receive that was counted waits no more.
     *
     * @param by the peer on whose loop it ended; null for others
     */
    void ended(@Nullable NodePeer by) {
        if (by == null) {
            room.release();
        } else {
            by.loop().receivePermits().release();
        }
    }

    /** Permits to wait for a message, as a loop takes and frees them. */
    Permits permits(ProgressLoop loop) {
        return new Permits(room, loop);
    }
}
