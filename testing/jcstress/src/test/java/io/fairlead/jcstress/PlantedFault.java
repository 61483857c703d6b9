package io.fairlead.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Rest without fences, which every processor breaks: shows that a fault is found. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "both miss each other")
@Outcome(expect = Expect.ACCEPTABLE, desc = "at least one sees the other")
@State
public class PlantedFault {
    private int published;
    private int resting;

    @Actor
    public void write(II_Result result) {
        published = 1;
        result.r1 = resting;
    }

    @Actor
    public void rest(II_Result result) {
        resting = 1;
        result.r2 = published;
    }
}
