package io.fairlead.samples.demo;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Compares what a subscriber says it got with what it must have got: the rows that were sent, less the gaps that it was told
 * of. The rows are known here too, so the checksum is computed again from nothing but the gaps.
 */
final class Verdict {
    private Verdict() {}

    /** Messages that a subscriber was told it has missed. */
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
                return problem(
                        "gap is no part of the stream: first=%d, count=%d, expected from %d to %d",
                        gap.first(), gap.count(), next, sent - 1);
            }
            addRows(expected, rows, next, gap.first());
            next = gap.first() + gap.count();
        }
        addRows(expected, rows, next, sent);
        if (claim.received() + claim.missed() != sent) {
            return problem(
                    "received and gaps are not what was sent: received=%d, gaps=%d, sent=%d",
                    claim.received(), claim.missed(), sent);
        }
        String checksum = expected.hex();
        if (!checksum.equals(claim.checksum())) {
            return problem("rows differ from those sent: checksum=%s, expected=%s", claim.checksum(), checksum);
        }
        return Optional.empty();
    }

    private static void addRows(RowChecksum checksum, DataSet rows, long from, long to) {
        for (long index = from; index < to; index++) {
            checksum.add(index, ByteBuffer.wrap(rows.row(index)));
        }
    }

    private static Optional<String> problem(String format, Object... values) {
        return Optional.of(String.format(Locale.ROOT, format, values));
    }
}
