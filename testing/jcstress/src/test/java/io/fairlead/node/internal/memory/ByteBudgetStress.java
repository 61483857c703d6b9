package io.fairlead.node.internal.memory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Whatever is taken and given back at once, nothing stays behind in the limit or in the budget. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "nothing is held")
@State
public class ByteBudgetStress {
    private final ByteBudget budget = new ByteBudget(1 << 20);
    private final ByteLimit limit = new ByteLimit(budget, 1 << 20);

    @Actor
    public void one() {
        takeAndGiveBack(70_000);
    }

    @Actor
    public void other() {
        takeAndGiveBack(100_000);
    }

    private void takeAndGiveBack(long bytes) {
        if (limit.tryTake(bytes)) {
            limit.giveBack(bytes);
        }
    }

    @Arbiter
    public void check(JJ_Result result) {
        result.r1 = limit.held();
        result.r2 = budget.taken();
    }
}
