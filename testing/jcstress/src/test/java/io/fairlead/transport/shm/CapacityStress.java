package io.fairlead.transport.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** The writer of a full ring does not overwrite a record that the reader is still reading. */
@JCStressTest
@Outcome(id = "5, 0", expect = Expect.ACCEPTABLE, desc = "the ring was still full")
@Outcome(id = "5, 1", expect = Expect.ACCEPTABLE, desc = "the record was read, then overwritten")
@State
public class CapacityStress {
    private final RingWriter writer;
    private final RingReader reader;

    public CapacityStress() {
        long ring = RingSlots.ringAddress(Slabs.next());
        writer = new RingWriter(ring);
        reader = new RingReader(ring);
        for (int i = 0; i < 4; i++) {
            int length = i < 3 ? Ring.PAYLOAD_MAX : Ring.PAYLOAD_MAX - Ring.STOP;
            if (!writer.tryClaim(length)) {
                throw new IllegalStateException("the ring is full too early");
            }
            writer.number(0, 5);
            writer.publish(Ring.MESSAGE, length, 0, length);
        }
    }

    @Actor
    public void read(JJ_Result result) {
        if (reader.tryNext()) {
            result.r1 = reader.number(0);
            reader.advance();
            reader.publishRead();
        }
    }

    @Actor
    public void write(JJ_Result result) {
        if (writer.tryClaim(Long.BYTES)) {
            writer.number(0, 6);
            writer.publish(Ring.MESSAGE, Long.BYTES, 0, Long.BYTES);
            result.r2 = 1;
        }
    }
}
