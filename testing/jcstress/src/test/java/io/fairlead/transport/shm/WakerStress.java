package io.fairlead.transport.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Of two writers to one resting reader exactly one wakes it. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the first")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the second")
@State
public class WakerStress {
    private final long slab = Slabs.next();

    public WakerStress() {
        Ring.setResting(slab, true);
    }

    @Actor
    public void first(ZZ_Result result) {
        result.r1 = Ring.isResting(slab) && Ring.tryClaimWakeup(slab);
    }

    @Actor
    public void second(ZZ_Result result) {
        result.r2 = Ring.isResting(slab) && Ring.tryClaimWakeup(slab);
    }
}
