package io.fairlead.pubsub.internal;

import java.util.concurrent.Flow;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A worker that finds a flow full is woken by the run that empties it. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the worker saw the capacity")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the worker is woken")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "both")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "the flow stands still")
@State
public class FlowCapacityStress {
    private final FlowSignals<String> signals;
    private volatile boolean woken;

    public FlowCapacityStress() {
        signals = new FlowSignals<>("stress", run -> {}, 1, new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {}

            @Override
            public void onNext(String element) {}

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onComplete() {}
        });
        signals.request(2);
        signals.add("first");
        signals.wakeBy(() -> woken = true);
    }

    @Actor
    public void signal() {
        signals.run();
    }

    @Actor
    public void take(ZZ_Result result) {
        result.r1 = signals.wantsElement();
    }

    @Arbiter
    public void check(ZZ_Result result) {
        result.r2 = woken;
    }
}
