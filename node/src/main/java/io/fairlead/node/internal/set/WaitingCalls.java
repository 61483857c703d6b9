package io.fairlead.node.internal.set;

import io.fairlead.FairleadException;
import io.fairlead.node.internal.loop.LoopSemaphore;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.loop.Timers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Calls on a set that wait for a member. On the thread of the set's loop where nothing else is said. */
final class WaitingCalls {
    /** As for a stalled peer: there is no event when a member has capacity again. */
    private static final long RETRY_NS = 2_000_000L;
    /** Between two looks at the deadlines. */
    private static final long LOOK_NS = 1_000_000L;

    private final ProgressLoop loop;
    private final Semaphore permits;
    private final Deque<SetCall<?>> waiting = new ArrayDeque<>();
    /** Requests between two attempts. */
    private final Map<RetriedRequest, Timers.Timer> pauses = new HashMap<>();

    private Timers.@Nullable Timer retry;
    private Timers.@Nullable Timer deadline;
    /** When the look at the deadlines is due. */
    private long dueNs;

    private @Nullable FairleadException end;

    WaitingCalls(ProgressLoop loop, int max) {
        this.loop = loop;
        this.permits = new Semaphore(max);
    }

    /** Takes a slot for a call. On any thread. */
    boolean tryTake(long patienceNs) {
        return LoopSemaphore.tryAcquire(permits, patienceNs);
    }

    /** Releases a slot. On any thread. */
    void giveBack() {
        permits.release();
    }

    /** Completes a future: where the loop completes others if this is its thread, and otherwise at once. On any thread. */
    void complete(Runnable completion) {
        if (loop.isCurrent() && !loop.isDelivering()) {
            loop.deliver(completion::run);
        } else {
            completion.run();
        }
    }

    /** Has a request that has a slot wait for its next attempt. */
    void pause(RetriedRequest request, long pauseNs) {
        FairleadException over = end;
        if (over != null || request.isDone()) {
            giveBack();
            if (over != null) {
                request.fail(over);
            }
            return;
        }
        Runnable next = () -> {
            if (tryEndPause(request)) {
                request.attemptAgain();
            }
        };
        pauses.put(request, loop.timers().after(pauseNs, next, request::fail));
    }

    /** Takes a request out of its pause; false if it has none. */
    boolean tryEndPause(RetriedRequest request) {
        Timers.Timer timer = pauses.remove(request);
        if (timer == null) {
            return false;
        }
        loop.timers().remove(timer);
        giveBack();
        return true;
    }

    /** Queues a call that has a slot. */
    void add(SetCall<?> call, boolean forRoom) {
        if (call.isDone()) {
            // Its caller has ended it on the way here.
            call.finish();
            return;
        }
        if (end != null) {
            call.fail(end);
            return;
        }
        waiting.add(call);
        watch(call.deadlineNs());
        if (forRoom && retry == null) {
            retry = loop.timers().after(RETRY_NS, () -> {
                retry = null;
                resume();
            });
        }
    }

    /** Has a look taken when a deadline is due. */
    private void watch(long deadlineNs) {
        if (deadline == null || deadlineNs - dueNs < 0) {
            if (deadline != null) {
                loop.timers().remove(deadline);
            }
            dueNs = deadlineNs;
            deadline = loop.timers().after(Math.max(LOOK_NS, deadlineNs - System.nanoTime()), this::expire);
        }
    }

    /** Takes out a call that its caller has ended; nothing if it does not wait. */
    void remove(SetCall<?> call) {
        if (waiting.remove(call)) {
            call.finish();
        }
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Each tries again. */
    void resume() {
        List<SetCall<?>> calls = new ArrayList<>(waiting);
        waiting.clear();
        calls.forEach(SetCall::again);
    }

    private void expire() {
        deadline = null;
        long nowNs = System.nanoTime();
        List<SetCall<?>> calls = new ArrayList<>(waiting);
        List<SetCall<?>> late = new ArrayList<>();
        waiting.clear();
        for (SetCall<?> call : calls) {
            if (call.deadlineNs() - nowNs <= 0) {
                late.add(call);
            } else {
                waiting.add(call);
                watch(call.deadlineNs());
            }
        }
        late.forEach(SetCall::giveUp);
    }

    /** Fails all calls and pauses, and all later ones. */
    void failAll(FairleadException cause) {
        end = cause;
        List<SetCall<?>> calls = new ArrayList<>(waiting);
        waiting.clear();
        calls.forEach(call -> call.fail(cause));
        for (RetriedRequest request : List.copyOf(pauses.keySet())) {
            boolean _ = tryEndPause(request);
            request.fail(cause);
        }
        if (retry != null) {
            retry.cancel();
        }
        if (deadline != null) {
            deadline.cancel();
        }
    }
}
