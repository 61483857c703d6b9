package io.fairlead.transport.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A writer that rests on a full ring and a reader that frees it do not both miss each other. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the reader wakes the writer")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the writer finds capacity")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "both")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "the writer sleeps beside a free ring")
@State
public class RoomStress {
    private final RingWriter writer;
    private final RingReader reader;

    public RoomStress() {
        long ring = RingSlots.ringAddress(Slabs.next());
        writer = new RingWriter(ring);
        reader = new RingReader(ring);
        while (writer.tryClaim(Ring.PAYLOAD_MAX)) {
            writer.publish(Ring.MESSAGE, Ring.PAYLOAD_MAX, 0, Ring.PAYLOAD_MAX);
        }
        reader.tryNext();
        reader.advance();
    }

    @Actor
    public void free(ZZ_Result result) {
        reader.publishRead();
        result.r1 = reader.isRoomWanted();
    }

    @Actor
    public void rest(ZZ_Result result) {
        boolean waits = writer.tryAwaitRoom();
        Ring.fenceBeforeLastCheck();
        result.r2 = !waits || !writer.isFull();
    }
}
