package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** A reader sees a record completely or not at all, and nothing behind it that was never published. */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not yet published")
@Outcome(id = "7, 5, 0", expect = Expect.ACCEPTABLE, desc = "the record, and the end behind it")
@State
public class RecordStress {
    private static final MemorySegment PAYLOAD = Arena.global().allocateFrom(JAVA_LONG, 5L);

    private final RingWriter writer;
    private final RingReader reader;

    public RecordStress() {
        long ring = RingSlots.ringAddress(Slabs.next());
        writer = new RingWriter(ring);
        reader = new RingReader(ring);
        // What an earlier round has left where the second record would begin.
        Ring.MEMORY.set(JAVA_LONG, ring + Ring.RECORDS_AT + Ring.span(Long.BYTES), Ring.SIGNAL);
    }

    @Actor
    public void write() {
        writer.tryWriteMessage(PAYLOAD, 0, Long.BYTES, 7);
    }

    @Actor
    public void read(JJJ_Result result) {
        if (reader.tryNext()) {
            result.r1 = reader.tag();
            result.r2 = reader.number(0);
            reader.advance();
            result.r3 = reader.tryNext() ? 1 : 0;
        }
    }
}
