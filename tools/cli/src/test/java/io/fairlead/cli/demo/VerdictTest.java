package io.fairlead.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.demo.Verdict.Claim;
import io.fairlead.cli.demo.Verdict.Gap;
import io.fairlead.samples.data.DataSet;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class VerdictTest {
    private static final DataSet ROWS = DataSet.load();
    private static final long SENT = ROWS.size() + 5L;

    @Test
    void shouldHoldTheRecordedRows() {
        assertEquals(10_000, ROWS.size());
        assertTrue(new String(ROWS.row(0), StandardCharsets.UTF_8).startsWith("1990-01-08,"));
        assertEquals(ROWS.row(3), ROWS.row(ROWS.size() + 3L));
    }

    @Test
    void shouldProveAStreamWithoutGaps() {
        assertEquals(Optional.empty(), objection(claim(LongStream.range(0, SENT), List.of())));
    }

    @Test
    void shouldProveAStreamWithTheGapsThatWereTold() {
        LongStream received = LongStream.range(0, SENT).filter(i -> i >= 2 && (i < 10 || i >= 20) && i != SENT - 1);
        assertEquals(
                Optional.empty(),
                objection(claim(received, List.of(new Gap(0, 2), new Gap(10, 10), new Gap(SENT - 1, 1)))));
    }

    @Test
    void shouldProveAStreamOfWhichNothingArrived() {
        assertEquals(Optional.empty(), objection(claim(LongStream.empty(), List.of(new Gap(0, SENT)))));
    }

    @Test
    void shouldObjectToAMissingRowThatNoGapTells() {
        assertObjection("received and gaps", claim(LongStream.range(0, SENT).filter(i -> i != 7), List.of()));
    }

    @Test
    void shouldObjectToAGapInAnotherPlace() {
        assertObjection("rows differ", claim(LongStream.range(0, SENT).filter(i -> i != 7), List.of(new Gap(8, 1))));
    }

    @Test
    void shouldObjectToARowThatCameTwiceInsteadOfAnother() {
        assertObjection("rows differ", claim(LongStream.range(0, SENT).map(i -> i == 7 ? 6 : i), List.of()));
    }

    @Test
    void shouldObjectToRowsInAnotherOrder() {
        LongStream swapped = LongStream.range(0, SENT).map(i -> i == 6 ? 7 : i == 7 ? 6 : i);
        assertObjection("rows differ", claim(swapped, List.of()));
    }

    @Test
    void shouldObjectToAByteThatChanged() {
        RowChecksum checksum = new RowChecksum();
        for (long i = 0; i < SENT; i++) {
            byte[] row = ROWS.row(i).clone();
            row[0] ^= (byte) (i == SENT - 1 ? 1 : 0);
            checksum.add(i, ByteBuffer.wrap(row));
        }
        assertObjection("rows differ", new Claim(SENT, List.of(), checksum.hex()));
    }

    @Test
    void shouldObjectToGapsThatOverlapOrLeaveTheStream() {
        Claim whole = claim(LongStream.range(0, SENT), List.of());
        for (List<Gap> gaps : List.of(
                List.of(new Gap(3, 2), new Gap(4, 1)),
                List.of(new Gap(-1, 1)),
                List.of(new Gap(SENT, 1)),
                List.of(new Gap(3, 0)))) {
            assertObjection("gap is no part", new Claim(whole.received(), gaps, whole.checksum()));
        }
    }

    private static Claim claim(LongStream indexes, List<Gap> gaps) {
        RowChecksum checksum = new RowChecksum();
        long[] each = indexes.toArray();
        for (long index : each) {
            checksum.add(index, ByteBuffer.wrap(ROWS.row(index)));
        }
        return new Claim(each.length, gaps, checksum.hex());
    }

    private static Optional<String> objection(Claim claim) {
        return Verdict.objection(ROWS, SENT, claim);
    }

    private static void assertObjection(String beginning, Claim claim) {
        String objection = objection(claim).orElse("none");
        assertTrue(objection.startsWith(beginning), objection);
    }
}
