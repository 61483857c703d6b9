package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.node.BackPressure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An operation on a set: attempts on one member after the other until one has taken it. Attempts follow each other, on whichever thread the last one has
 * ended.
 */
abstract class SetCall<T> extends NodeFuture<T> implements LoopTask {
    final NodePeerSet set;
    private final List<SetMember> tried = new ArrayList<>(2);
    private @Nullable FairleadException last;
    /** When a call that waits for a member gives up; 0 before it waits. */
    private long deadlineNs;

    private boolean insisted;
    private boolean finished;

    SetCall(NodePeerSet set) {
        this.set = set;
    }

    /**
     * Calls the operation on a member.
     *
     * @param patienceNs how long to wait for room
     */
    abstract CompletableFuture<T> attempt(NodePeer peer, long patienceNs);

    /** Whether an attempt that has failed certainly has not left this process. */
    abstract boolean hasNotLeft(CompletableFuture<T> attempt, Throwable failure);

    /** The operation and its numbers, for messages. */
    abstract String describe();

    /** Gives back what the call holds; called once, when there will be no further attempt. */
    void release() {}

    /** Begins, on the caller's thread. */
    final SetCall<T> begin() {
        next();
        return this;
    }

    /** Tries members that it has not tried. */
    private void next() {
        if (isDone()) {
            // By somebody else: a time-out, or a cancel.
            finish();
            return;
        }
        SetMember member = set.pick(tried);
        NodePeer peer = member == null ? null : member.usable();
        if (member == null || peer == null) {
            exhausted();
        } else {
            attemptOn(member, peer, 0);
        }
    }

    private void attemptOn(SetMember member, NodePeer peer, long patienceNs) {
        tried.add(member);
        member.begin();
        CompletableFuture<T> attempt;
        try {
            attempt = attempt(peer, patienceNs);
        } catch (Throwable thrown) {
            member.end();
            fail(thrown);
            return;
        }
        CompletableFuture<T> _ = attempt.whenComplete((value, failure) -> ended(member, attempt, value, failure));
    }

    private void ended(SetMember member, CompletableFuture<T> attempt, @Nullable T value, @Nullable Throwable failure) {
        member.end();
        if (failure == null) {
            finish();
            complete(value);
        } else if (hasNotLeft(attempt, failure)) {
            if (failure instanceof FairleadException known) {
                last = known;
            }
            next();
        } else {
            fail(
                    failure instanceof FairleadException known && isLoss(known)
                            ? set.lost(describe(), member, known)
                            : failure);
        }
    }

    private static boolean isLoss(FairleadException failure) {
        Status status = failure.status().orElse(Status.OK);
        return status == Status.PEER_FAILED || status == Status.CLOSED;
    }

    /** No member is left to try. */
    private void exhausted() {
        FairleadException end = set.end();
        if (end != null) {
            fail(end);
            return;
        }
        if (set.settings().backPressure() == BackPressure.FAIL) {
            fail(set.unavailable(describe(), last));
            return;
        }
        long patienceNs = set.node().patienceNs();
        if (isBackPressure() && !insisted && patienceNs > 0) {
            insist(patienceNs);
            return;
        }
        if (deadlineNs == 0) {
            if (!set.waiting().tryTake(patienceNs)) {
                fail(new FairleadException(
                        Reason.LIMIT_REACHED,
                        Status.BACK_PRESSURE,
                        describe() + " failed: status=BACK_PRESSURE, service=" + set.name() + ", waiting="
                                + set.settings().queueMax()
                                + "; no member takes operations: wait for earlier ones, and call again"));
                return;
            }
            deadlineNs = System.nanoTime() + set.settings().waitNs();
        }
        set.home().execute(this);
    }

    /** All have said that they have no room: waits for that of one, as an operation on a peer does. */
    private void insist(long patienceNs) {
        insisted = true;
        SetMember member = set.pick(List.of());
        NodePeer peer = member == null ? null : member.usable();
        if (member == null || peer == null) {
            exhausted();
        } else {
            attemptOn(member, peer, patienceNs);
        }
    }

    private boolean isBackPressure() {
        return last != null && last.status().orElse(Status.OK) == Status.BACK_PRESSURE;
    }

    // On the loop of the set.

    @Override
    public final void accept(ProgressLoop loop) {
        // A member may have come meanwhile, or have failed so lately that it is not taken out yet.
        set.waiting().add(this, isBackPressure() || set.pick(List.of()) != null);
    }

    @Override
    public final void refuse(FairleadException cause) {
        fail(cause);
    }

    /** Begins anew, because members have come or may have room. */
    final void again() {
        tried.clear();
        next();
    }

    final long deadlineNs() {
        return deadlineNs;
    }

    final void giveUp() {
        fail(set.unavailable(describe(), last));
    }

    final void fail(Throwable cause) {
        finish();
        completeExceptionally(cause);
    }

    private void finish() {
        if (finished) {
            return;
        }
        finished = true;
        if (deadlineNs != 0) {
            set.waiting().giveBack();
        }
        release();
    }
}
