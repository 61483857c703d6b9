package io.fairlead.transport.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A reader that rests and a writer that publishes do not both miss each other. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the writer wakes the reader")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the reader finds the record")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "both")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "the reader sleeps beside a record")
@State
public class RestStress {
    private final long slab = Slabs.next();
    private final RingWriter writer = new RingWriter(RingSlots.ringAddress(slab));
    private final RingReader reader = new RingReader(RingSlots.ringAddress(slab));

    @Actor
    public void write(ZZ_Result result) {
        writer.tryWrite(Ring.SIGNAL, 0, 1);
        Ring.fenceBeforeRestCheck();
        result.r1 = Ring.isResting(slab) && Ring.tryClaimWakeup(slab);
    }

    @Actor
    public void rest(ZZ_Result result) {
        Ring.setResting(slab, true);
        Ring.fenceBeforeLastCheck();
        result.r2 = reader.hasRecord();
    }
}
