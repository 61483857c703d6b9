package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Calls on a set that wait for a member. On the thread of the set's loop where nothing else is said. */
final class WaitingCalls {
    /** As for a stalled peer: nothing tells when a member has room again. */
    private static final long RETRY_NS = 2_000_000L;

    private final ProgressLoop loop;
    private final Semaphore room;
    private final Deque<SetCall<?>> waiting = new ArrayDeque<>();
    private Timers.@Nullable Timer retry;
    private Timers.@Nullable Timer deadline;
    private @Nullable FairleadException end;

    WaitingCalls(ProgressLoop loop, int max) {
        this.loop = loop;
        this.room = new Semaphore(max);
    }

    /** Takes a place for a call; any thread. */
    boolean tryTake(long patienceNs) {
        return Permits.tryAcquire(room, patienceNs);
    }

    /** Gives a place back; any thread. */
    void giveBack() {
        room.release();
    }

    /** Lets a call that has a place wait. */
    void add(SetCall<?> call, boolean forRoom) {
        if (end != null) {
            call.fail(end);
            return;
        }
        waiting.add(call);
        if (deadline == null) {
            deadline = loop.timers().after(Math.max(0, call.deadlineNs() - System.nanoTime()), this::expire);
        }
        if (forRoom && retry == null) {
            retry = loop.timers().after(RETRY_NS, () -> {
                retry = null;
                resume();
            });
        }
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Has each try again. */
    void resume() {
        List<SetCall<?>> calls = new ArrayList<>(waiting);
        waiting.clear();
        calls.forEach(SetCall::again);
    }

    private void expire() {
        deadline = null;
        long nowNs = System.nanoTime();
        List<SetCall<?>> late = new ArrayList<>();
        long nextNs = Long.MAX_VALUE;
        for (SetCall<?> call : waiting) {
            long leftNs = call.deadlineNs() - nowNs;
            if (leftNs <= 0) {
                late.add(call);
            } else {
                nextNs = Math.min(nextNs, leftNs);
            }
        }
        waiting.removeAll(late);
        late.forEach(SetCall::giveUp);
        if (!waiting.isEmpty() && deadline == null) {
            deadline = loop.timers().after(nextNs, this::expire);
        }
    }

    /** Fails all, and what comes later. */
    void failAll(FairleadException cause) {
        end = cause;
        List<SetCall<?>> calls = new ArrayList<>(waiting);
        waiting.clear();
        calls.forEach(call -> call.fail(cause));
        if (retry != null) {
            retry.cancel();
        }
        if (deadline != null) {
            deadline.cancel();
        }
    }
}
