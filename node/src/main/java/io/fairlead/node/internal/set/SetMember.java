package io.fairlead.node.internal.set;

import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.node.Peer;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.loop.Timers;
import io.fairlead.node.internal.peer.ConnectFuture;
import io.fairlead.node.internal.peer.NodePeer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A member of a set, with its connection. Fields without another word belong to the thread of the set's loop. */
final class SetMember {
    private final NodePeerSet set;
    private final AtomicInteger inFlight = new AtomicInteger();
    private volatile Member member;
    private volatile @Nullable NodePeer peer;
    private volatile boolean leaving;
    /** Requests in a row that have failed. */
    private final AtomicInteger failedRequests = new AtomicInteger();
    /** Until when it is ejected; 0 if it never was. */
    private volatile long ejectedUntilNs;

    @Nullable ConnectFuture attempt;

    Timers.@Nullable Timer timer;
    /** Attempts in a row that have failed. */
    int failures;
    /** Whether the first attempt has ended. */
    boolean tried;
    /** Why it is not connected. */
    @Nullable FairleadException cause;

    SetMember(NodePeerSet set, Member member) {
        this.set = set;
        this.member = member;
    }

    // From any thread.

    Member member() {
        return member;
    }

    @Nullable NodePeer peer() {
        return peer;
    }

    /** Its peer, if operations may be called on it: it is connected, and neither it nor the service lets it go. */
    @Nullable NodePeer usable() {
        NodePeer now = peer;
        return now != null && !leaving && !now.requests().peerLeaves() && now.state() == EndpointState.CONNECTED
                ? now
                : null;
    }

    /** Whether it gets no requests for a while, as so many have failed. */
    boolean isEjected() {
        long untilNs = ejectedUntilNs;
        return untilNs != 0 && System.nanoTime() - untilNs < 0;
    }

    /** Returns how many requests in a row have failed. */
    int countFailed() {
        return failedRequests.incrementAndGet();
    }

    void countAnswered() {
        if (failedRequests.get() != 0) {
            failedRequests.set(0);
        }
    }

    void eject(long timeNs) {
        failedRequests.set(0);
        ejectedUntilNs = (System.nanoTime() + timeNs) | 1;
    }

    int inFlight() {
        return inFlight.get();
    }

    void begin() {
        inFlight.incrementAndGet();
    }

    void end() {
        if (inFlight.decrementAndGet() == 0 && leaving) {
            set.home().execute(new LoopTask.Action(_ -> disconnect()));
        }
    }

    // On the loop's thread.

    void rename(Member found) {
        member = found;
    }

    void connected(NodePeer now) {
        peer = now;
        failures = 0;
        cause = null;
    }

    /** Whether this was its peer, which it has no more. */
    boolean tryLose(Peer lost, FairleadException why) {
        NodePeer now = peer;
        if (now == null || !now.equals(lost)) {
            return false;
        }
        peer = null;
        cause = why;
        return true;
    }

    void stopTimer() {
        Timers.Timer running = timer;
        if (running != null) {
            running.cancel();
            timer = null;
        }
    }

    /** Gives it no further operation, and closes its connection when those in flight have ended. */
    void leave(ProgressLoop loop, long limitNs) {
        leaving = true;
        stopTimer();
        ConnectFuture connecting = attempt;
        if (connecting != null) {
            connecting.cancel(false);
        }
        if (inFlight.get() == 0) {
            disconnect();
        } else {
            timer = loop.timers().after(limitNs, this::disconnect);
        }
    }

    void disconnect() {
        leaving = true;
        stopTimer();
        NodePeer now = peer;
        if (now != null) {
            peer = null;
            now.close();
        }
    }
}
