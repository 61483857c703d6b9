package io.fairlead.node.internal.set;

import io.fairlead.FairleadException;
import io.fairlead.node.BackPressure;
import io.fairlead.node.internal.loop.EndingFuture;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.peer.NodePeer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * An operation on a set. It is attempted on one member after the other until one has taken it. Each attempt begins on the thread on which the
 * last one ended.
 */
abstract class SetCall<T> extends EndingFuture<T> implements LoopTask {
    /** What the failure of an attempt means for the next. */
    enum Failed {
        /** It may have been carried out, or would fail everywhere. */
        FOR_GOOD,
        /** It was not carried out, and another member may do so. */
        ELSEWHERE,
        /** It has not left this side, because the member's queue is full. */
        NO_ROOM,
        /** The member has refused it for lack of capacity, and is not asked again. */
        REFUSED
    }

    final NodePeerSet set;
    private final List<SetMember> tried = new ArrayList<>(2);
    private volatile @Nullable SetMember lastMember;
    private List<SetMember> refusing = List.of();
    private @Nullable Throwable refusal;
    /** The last attempt found no capacity. */
    private boolean full;

    private boolean insisted;
    private boolean finished;
    /** Whether it has a slot among the calls that wait for a member. */
    private volatile boolean hasSlot;
    /** When a call that has a slot gives up. */
    private long deadlineNs;

    SetCall(NodePeerSet set) {
        this.set = set;
    }

    /**
     * Calls the operation on a member.
     *
     * @param patienceNs how long to wait for capacity
     */
    abstract CompletableFuture<T> attempt(NodePeer peer, long patienceNs);

    /** Has the first members asked be others than these, if there are others. */
    final void avoid(List<SetMember> members) {
        if (!members.isEmpty() && set.pick(members) != null) {
            tried.addAll(members);
        }
    }

    /** The member that was asked last; null before the first. */
    final @Nullable SetMember lastMember() {
        return lastMember;
    }

    /** Called with the end of each attempt; the failure is null if it has succeeded. */
    void attempted(SetMember member, @Nullable Throwable failure) {}

    /** Called with an attempt before its end has any consequences. */
    void attempting(CompletableFuture<T> attempt) {}

    /** What the failure of an attempt means. */
    abstract Failed assess(CompletableFuture<T> attempt, Throwable failure);

    /** What the call fails with if an attempt's failure is also its own. */
    abstract Throwable explain(SetMember member, Throwable failure);

    /** What the call fails with if no member takes it. */
    abstract Throwable failure(SetFailures.Shortage shortage);

    /** What the call fails with if something else ends it. */
    Throwable failure(Throwable cause) {
        return cause;
    }

    /** The operation and its numbers, for messages. */
    abstract String describe();

    /** How long the call may last. */
    long timeLeftNs() {
        return Long.MAX_VALUE;
    }

    /** Releases the result of an attempt whose caller has given up. */
    void discard(@Nullable T result) {}

    /** Releases what the call holds. Called once, when there will be no further attempt. */
    void release() {}

    /** Begins, on the caller's thread. */
    final SetCall<T> begin() {
        next();
        return this;
    }

    /** Tries members that it has not tried, without recursion, because thousands may have no capacity. */
    private void next() {
        boolean more = true;
        while (more) {
            more = hasMore();
        }
    }

    /** Tries one. Returns true if it has failed at once, and another may take the operation. */
    private boolean hasMore() {
        if (isDone()) {
            // By its caller: a time-out, or a cancel.
            finish();
            return false;
        }
        if (timeLeftNs() <= 0) {
            giveUp();
            return false;
        }
        SetMember member = set.pick(tried);
        NodePeer peer = member == null ? null : member.usable();
        if (member == null || peer == null) {
            exhausted();
            return false;
        }
        return hasFailed(member, peer, 0);
    }

    /** Tries a member. Returns true if that has failed at once, and another may take the operation. */
    private boolean hasFailed(SetMember member, NodePeer peer, long patienceNs) {
        tried.add(member);
        lastMember = member;
        member.begin();
        CompletableFuture<T> attempt;
        try {
            attempt = attempt(peer, patienceNs);
        } catch (Throwable thrown) {
            member.end();
            fail(thrown);
            return false;
        }
        attempting(attempt);
        if (attempt.state() == Future.State.FAILED) {
            member.end();
            attempted(member, attempt.exceptionNow());
            return isForAnother(member, attempt, attempt.exceptionNow());
        }
        CompletableFuture<T> _ = attempt.whenComplete((value, failure) -> ended(member, attempt, value, failure));
        return false;
    }

    private void ended(SetMember member, CompletableFuture<T> attempt, @Nullable T value, @Nullable Throwable failure) {
        member.end();
        try {
            attempted(member, failure);
            if (failure == null) {
                finish();
                if (!complete(value)) {
                    discard(value);
                }
            } else if (isForAnother(member, attempt, failure)) {
                next();
            }
        } catch (Throwable thrown) {
            // The attempt's future would keep it to itself.
            fail(thrown);
        }
    }

    /** Whether another member may take what has failed. If not, the call has failed too. */
    private boolean isForAnother(SetMember member, CompletableFuture<T> attempt, Throwable failure) {
        Failed how = assess(attempt, failure);
        full = how == Failed.NO_ROOM;
        if (how == Failed.FOR_GOOD) {
            fail(explain(member, failure));
            return false;
        }
        if (how == Failed.REFUSED) {
            refusal = explain(member, failure);
            List<SetMember> more = new ArrayList<>(refusing);
            more.add(member);
            refusing = more;
        }
        return true;
    }

    /** No member is left to try. */
    private void exhausted() {
        FairleadException end = set.end();
        if (end != null) {
            fail(end);
            return;
        }
        if (refusal != null && set.pick(refusing) == null) {
            fail(refusal);
            return;
        }
        if (set.settings().backPressure() == BackPressure.FAIL) {
            fail(failure(set.shortage(full)));
            return;
        }
        long patienceNs = Math.min(set.group().patienceNs(), Math.max(0, timeLeftNs()));
        if (full && !insisted && patienceNs > 0) {
            insist(patienceNs);
            return;
        }
        if (!hasSlot) {
            if (!set.waiting().tryTake(patienceNs)) {
                fail(failure(SetFailures.tooManyWait(set.settings().queueMax())));
                return;
            }
            deadlineNs = System.nanoTime() + Math.min(set.settings().waitNs(), timeLeftNs());
            hasSlot = true;
        }
        set.home().execute(this);
    }

    /** All members are full: waits for capacity of one, as an operation on a peer does. */
    private void insist(long patienceNs) {
        insisted = true;
        SetMember member = set.pick(refusing);
        NodePeer peer = member == null ? null : member.usable();
        if (member == null || peer == null) {
            exhausted();
        } else if (hasFailed(member, peer, patienceNs)) {
            next();
        }
    }

    // On the loop of the set.

    @Override
    public final void accept(ProgressLoop loop) {
        // A member may have connected meanwhile, or may have failed and not be removed yet.
        set.waiting().add(this, full || set.pick(refusing) != null);
    }

    @Override
    public final void refuse(FairleadException cause) {
        fail(cause);
    }

    /** Begins again, because members have connected or may have capacity. */
    final void again() {
        tried.clear();
        tried.addAll(refusing);
        next();
    }

    final boolean hasSlot() {
        return hasSlot;
    }

    /** When it gives up. Valid for a call that has a slot. */
    final long deadlineNs() {
        return deadlineNs;
    }

    /** No member has taken it in time. */
    void giveUp() {
        fail(failure(set.shortage(full)));
    }

    final void fail(Throwable cause) {
        finish();
        set.waiting().complete(() -> completeExceptionally(failure(cause)));
    }

    /** There will be no further attempt. */
    final void finish() {
        if (finished) {
            return;
        }
        finished = true;
        if (hasSlot) {
            hasSlot = false;
            set.waiting().giveBack();
        }
        release();
    }
}
