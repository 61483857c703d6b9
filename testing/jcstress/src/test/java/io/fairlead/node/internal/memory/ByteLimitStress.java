package io.fairlead.node.internal.memory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/** Two callers take no more than the limit together, and the budget has exactly what is held. */
@JCStressTest
@Outcome(id = "true, false, 196608", expect = Expect.ACCEPTABLE, desc = "the first")
@Outcome(id = "false, true, 131072", expect = Expect.ACCEPTABLE, desc = "the second")
@State
public class ByteLimitStress {
    private final ByteBudget budget = new ByteBudget(1 << 20);
    private final ByteLimit limit = new ByteLimit(budget, 4 << 16);

    public ByteLimitStress() {
        limit.tryTake(1 << 16);
    }

    @Actor
    public void first(ZZJ_Result result) {
        result.r1 = limit.tryTake(2 << 16);
    }

    @Actor
    public void second(ZZJ_Result result) {
        result.r2 = limit.tryTake((2 << 16) - 1);
    }

    @Arbiter
    public void check(ZZJ_Result result) {
        result.r3 = budget.taken();
    }
}
