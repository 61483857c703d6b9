package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JZ_Result;

/** A peer that reads memory written after its release sees that the endpoint has ended. */
@JCStressTest
@Outcome(id = "0, false", expect = Expect.ACCEPTABLE, desc = "read before the release")
@Outcome(id = "0, true", expect = Expect.ACCEPTABLE, desc = "discarded, though it was right")
@Outcome(id = "9, true", expect = Expect.ACCEPTABLE, desc = "discarded")
@Outcome(id = "9, false", expect = Expect.FORBIDDEN, desc = "the new owner's bytes are taken for the message")
@State
public class EndStress {
    private final long ring = RingSlots.ringAddress(Slabs.next());
    /** The announced memory: any word but those of the ring. */
    private final long announced = ring + Ring.RECORDS_AT;

    @Actor
    public void end() {
        Ring.end(ring);
        Ring.MEMORY.set(JAVA_LONG, announced, 9L);
    }

    @Actor
    public void read(JZ_Result result) {
        result.r1 = Ring.MEMORY.get(JAVA_LONG, announced);
        result.r2 = Ring.hasReaderEnded(ring);
    }
}
