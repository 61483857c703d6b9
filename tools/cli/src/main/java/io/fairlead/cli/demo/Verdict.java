package io.fairlead.cli.demo;

import io.fairlead.samples.data.DataSet;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Compares what a subscriber reports with what it must have received: the rows that were sent, less the gaps that were reported
 * to it. The rows are known here too, so the checksum is computed again from nothing but the gaps.
 */
final class Verdict {
    private Verdict() {}

    /** Messages that were reported to a subscriber as missed. */
    record Gap(long first, long count) {}

    /** What a subscriber has to say at its end. */
    record Claim(long received, List<Gap> gaps, String checksum) {
        Claim {
            gaps = List.copyOf(gaps);
        }

        long missed() {
            return gaps.stream().mapToLong(Gap::count).sum();
        }
    }

    /** Returns what is wrong with a claim, or nothing if it is proved. */
    static Optional<String> objection(DataSet rows, long sent, Claim claim) {
        RowChecksum expected = new RowChecksum();
        long next = 0;
        for (Gap gap : claim.gaps()) {
            if (gap.count() < 1 || gap.first() < next || gap.first() > sent - gap.count()) {
                return Optional.of("gap is no part of the stream: first=" + gap.first() + ", count=" + gap.count()
                        + ", expected from " + next + " to " + (sent - 1));
            }
            addRows(expected, rows, next, gap.first());
            next = gap.first() + gap.count();
        }
        addRows(expected, rows, next, sent);
        if (claim.received() + claim.missed() != sent) {
            return Optional.of("received and gaps are not what was sent: received=" + claim.received() + ", gaps="
                    + claim.missed() + ", sent=" + sent);
        }
        String checksum = expected.hex();
        if (!checksum.equals(claim.checksum())) {
            return Optional.of("rows differ from those sent: checksum=" + claim.checksum() + ", expected=" + checksum);
        }
        return Optional.empty();
    }

    private static void addRows(RowChecksum checksum, DataSet rows, long from, long to) {
        for (long index = from; index < to; index++) {
            checksum.add(index, ByteBuffer.wrap(rows.row(index)));
        }
    }
}
