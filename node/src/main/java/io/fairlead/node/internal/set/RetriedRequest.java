package io.fairlead.node.internal.set;

import io.fairlead.FairleadException;
import io.fairlead.node.Message;
import io.fairlead.node.RequestException;
import io.fairlead.node.RetryPolicy;
import io.fairlead.node.internal.loop.EndingFuture;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.loop.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A request of a set with a {@link RetryPolicy}: one {@link SetRequest} after the other, or two at once if it is hedged, until one has a reply or none is
 * allowed any more. Each attempt begins at a member that has not failed before, if there is one.
 */
final class RetriedRequest extends EndingFuture<Message> {
    private final NodePeerSet set;
    private final SetRequest first;
    /** Gives back the bytes that the message counts for. */
    private final Runnable release;

    private final RetryPolicy policy;
    private final RetryBudget budget;
    private final boolean idempotent;
    private final long dueNs;

    // Under the lock of this.
    private final List<SetRequest> running = new ArrayList<>(2);
    private final List<SetMember> tried = new ArrayList<>(2);
    private int made;
    /** A handler may have seen an attempt that has failed. */
    private boolean seen;
    /** The first failure that no further attempt can mend, such as a handler's answer. */
    private @Nullable Throwable last;

    /** Whether the home may have a timer for it. */
    private volatile boolean timed;
    /** Used by the home's thread. */
    private Timers.@Nullable Timer hedging;

    /** Takes over the message of a request that has not begun. */
    RetriedRequest(SetRequest first, RetryBudget budget, long timeNs) {
        this.set = first.set;
        this.first = first;
        this.release = first.disown();
        this.policy = first.set.retries();
        this.budget = budget;
        this.idempotent = first.isIdempotent();
        this.dueNs = System.nanoTime() + timeNs;
    }

    /** Begins, on the caller's thread. */
    RetriedRequest begin() {
        budget.earn();
        attempt(first);
        long hedgeNs = policy.hedgeAfter().map(Duration::toNanos).orElse(Long.MAX_VALUE);
        if (idempotent && hedgeNs < dueNs - System.nanoTime() && !isDone()) {
            timed = true;
            // If the loop ends, the attempt ends too.
            set.home().execute(new LoopTask.Action(loop -> hedgeLater(loop, hedgeNs)));
        }
        return this;
    }

    private void hedgeLater(ProgressLoop loop, long delayNs) {
        if (!isDone()) {
            hedging = loop.timers().after(delayNs, this::hedge, this::fail);
        }
    }

    private void attempt(SetRequest request) {
        synchronized (this) {
            if (isDone()) {
                return;
            }
            made++;
            running.add(request);
        }
        CompletableFuture<Message> _ = request.whenComplete((reply, failure) -> ended(request, reply, failure));
        SetCall<Message> _ = request.begin();
    }

    /** Begins a further attempt. */
    void attemptAgain() {
        SetRequest again = first.again(dueNs - System.nanoTime());
        synchronized (this) {
            again.avoid(tried);
        }
        attempt(again);
    }

    private void ended(SetRequest request, @Nullable Message reply, @Nullable Throwable failure) {
        if (failure == null) {
            if (!complete(reply) && reply != null) {
                reply.close();
            }
            return;
        }
        Throwable end;
        int failed;
        synchronized (this) {
            running.remove(request);
            addTried(request);
            seen |= !(failure instanceof RequestException known && known.isSafeToRetry());
            if (last == null && !isWorthAnother(request, failure)) {
                last = failure;
            }
            if (!running.isEmpty() || isDone()) {
                // The other one may still have a reply.
                return;
            }
            end = last;
            failed = made - 1;
        }
        if (end != null) {
            fail(end);
        } else if (failed + 1 >= policy.attempts() || !tryPause(failed)) {
            fail(failure);
        }
    }

    /** Begins the pause before the next attempt; false if there will be none. */
    private boolean tryPause(int failed) {
        long pauseNs = policy.pauses()
                .shortenedPause(failed, ThreadLocalRandom.current())
                .toNanos();
        WaitingCalls waiting = set.waiting();
        if (dueNs - System.nanoTime() <= pauseNs || !waiting.tryTake(0)) {
            return false;
        }
        if (!budget.trySpend()) {
            waiting.giveBack();
            return false;
        }
        timed = true;
        set.home().execute(new LoopTask() {
            @Override
            public void accept(ProgressLoop loop) {
                waiting.pause(RetriedRequest.this, pauseNs);
            }

            @Override
            public void refuse(FairleadException cause) {
                waiting.giveBack();
                RetriedRequest.this.fail(cause);
            }
        });
        return true;
    }

    /** Ends it with a failure that is safe only if no attempt can have reached a handler; nothing changes if it has ended before. */
    void fail(Throwable cause) {
        Throwable failure = first.failure(cause);
        boolean reached;
        synchronized (this) {
            reached = seen;
        }
        Throwable end = reached && failure instanceof RequestException known && known.isSafeToRetry()
                ? new RequestException(known.status(), known.text(), known)
                        .withMessage(known.getMessage() + "; an earlier attempt may have been carried out")
                : failure;
        set.waiting().complete(() -> completeExceptionally(end));
    }

    private void addTried(SetRequest request) {
        SetMember member = request.lastMember();
        if (member != null && !tried.contains(member)) {
            tried.add(member);
        }
    }

    private boolean isWorthAnother(SetRequest request, Throwable failure) {
        if (!(failure instanceof RequestException known) || set.end() != null) {
            return false;
        }
        return switch (known.status()) {
            case UNAVAILABLE -> known.isSafeToRetry() || (idempotent && request.isLost());
            case RESOURCE_EXHAUSTED -> known.isSafeToRetry();
            default -> false;
        };
    }

    /** Asks another member too, if there is one. */
    private void hedge() {
        synchronized (this) {
            if (isDone() || running.size() != 1 || made >= policy.attempts()) {
                return;
            }
            addTried(running.getFirst());
            if (set.pick(tried) == null || !budget.trySpend()) {
                return;
            }
        }
        attemptAgain();
    }

    /** Withdraws what is left, if its caller has ended it. */
    @Override
    protected void hasEnded() {
        release.run();
        List<SetRequest> left;
        synchronized (this) {
            left = List.copyOf(running);
        }
        left.forEach(request -> request.cancel(false));
        if (timed) {
            set.home().execute(new LoopTask.Action(this::stopTimers));
        }
    }

    private void stopTimers(ProgressLoop loop) {
        boolean _ = set.waiting().tryEndPause(this);
        Timers.Timer hedge = hedging;
        if (hedge != null) {
            hedging = null;
            loop.timers().remove(hedge);
        }
    }
}
