package io.fairlead.pubsub.internal;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads that add to a flow at once schedule one run at a time, and every element is signalled, one at a time. */
@JCStressTest
@Outcome(id = "3, 1", expect = Expect.ACCEPTABLE, desc = "element, element and end, never two at once")
@State
public class FlowSignalStress implements Flow.Subscriber<String> {
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger signalled = new AtomicInteger();
    /** The thread that schedules runs the run. */
    private final FlowSignals<String> signals = new FlowSignals<>("stress", Runnable::run, 2, this);

    public FlowSignalStress() {
        signals.request(2);
        signals.schedule();
    }

    @Actor
    public void add() {
        signals.add("first");
        signals.add("second");
        signals.end(FlowEnd.COMPLETE);
    }

    @Actor
    public void schedule() {
        signals.schedule();
        signals.schedule();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {}

    @Override
    public void onNext(String element) {
        count();
    }

    @Override
    public void onError(Throwable failure) {
        count();
    }

    @Override
    public void onComplete() {
        count();
    }

    private void count() {
        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
        signalled.incrementAndGet();
        inside.decrementAndGet();
    }

    @Arbiter
    public void check(II_Result result) {
        result.r1 = signalled.get();
        result.r2 = most.get();
    }
}
