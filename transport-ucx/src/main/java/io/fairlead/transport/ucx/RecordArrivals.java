package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;

/**
 * Passes the records of one worker's batches to the core. Unmatched messages are copied to the worker's memory.
 *
 * @param kept the worker's unmatched messages
 */
record RecordArrivals(KeptMessages kept) {
    /**
     * Takes a record. Nothing that the peer wrote is trusted.
     *
     * @param sender the endpoint that has received the batch
     * @param at where the record begins
     * @param end the length of the batch
     * @return where the next record begins; 0 if nothing more can be taken
     */
    int take(UcxEndpointState sender, MemorySegment batch, int at, int end) {
        long word = at + Batch.RECORD_PAYLOAD <= end ? batch.get(JAVA_LONG, at) : 0;
        int length = Batch.length(word);
        if (length < 0 || length > end - at - Batch.RECORD_PAYLOAD) {
            return failMalformed(sender, at, end, word);
        }
        try {
            boolean taken = switch (Batch.kind(word)) {
                case Batch.TAGGED -> tryTakeTagged(sender, batch, at, length);
                case Batch.ACTIVE -> tryTakeActive(sender.host(), batch, at, Batch.target(word), length);
                default -> {
                    LeavableLanes lanes = sender.lanes();
                    yield lanes != null
                            ? lanes.tryTake(word, batch, at, length)
                            : failMalformed(sender, at, end, word) > 0;
                }
            };
            return taken ? at + Batch.recordLength(length) : 0;
        } catch (FairleadException violation) {
            sender.fail(violation);
            return 0;
        } catch (RuntimeException | Error thrown) {
            sender.failThrown(thrown);
            return 0;
        }
    }

    private static int failMalformed(UcxEndpointState sender, int at, int end, long word) {
        sender.failViolation("record of the peer's UCX transport makes no sense: kind=" + Batch.kind(word) + ", length="
                + Batch.length(word) + ", offset=" + at + ", batch=" + end + " bytes");
        return 0;
    }

    private boolean tryTakeTagged(UcxEndpointState sender, MemorySegment batch, int at, int length) {
        EndpointHost host = sender.host();
        long tag = batch.get(JAVA_LONG, at + Batch.RECORD_TAG);
        Operation receive = host.match(tag, length);
        if (receive == null) {
            Arrival arrival = host.arrived(tag, length, Arrival.Place.EAGER);
            if (arrival == null) {
                return false;
            }
            receive = arrival.operation();
            if (receive == null) {
                kept.keep(arrival, batch, at + Batch.RECORD_PAYLOAD);
                arrival.markWhole();
                return true;
            }
        }
        try {
            MemorySegment.copy(
                    batch,
                    at + Batch.RECORD_PAYLOAD,
                    receive.buffer(),
                    receive.offset(),
                    Math.min(length, receive.length()));
        } catch (IllegalStateException closed) {
            // It is out of matching, so it would never end.
            sender.failMemoryClosed(closed);
            receive.complete(Status.CANCELLED, 0);
            return false;
        }
        receive.complete(Status.OK, length);
        return true;
    }

    private static boolean tryTakeActive(EndpointHost host, MemorySegment batch, int at, int target, int length) {
        return host.tryTakeActive(
                TransportMessage.number(target),
                TransportMessage.headerLength(target),
                batch,
                at + Batch.RECORD_PAYLOAD,
                length);
    }
}
