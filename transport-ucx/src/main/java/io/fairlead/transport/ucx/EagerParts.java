package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EagerPool;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The eager message of one endpoint that arrives in several records, because it is longer than one. They follow each
 * other, so there is one at a time. Only endpoints with a {@link LeavableLanes} send such messages.
 */
final class EagerParts {
    private final UcxEndpointState state;
    private final KeptMessages kept;
    private boolean begun;
    private long length;
    private long taken;
    /** The receive that gets the bytes; null if the message is kept, or dropped. */
    private @Nullable Operation receive;
    /** The message, if it is kept until it is whole. */
    private @Nullable Arrival arrival;

    EagerParts(UcxEndpointState state, KeptMessages kept) {
        this.state = state;
        this.kept = kept;
    }

    /** Takes the first record of a tagged message, which begins with the length. */
    boolean tryBeginTagged(long tag, MemorySegment batch, long at, int size) {
        if (!tryBegin(batch, at, size, state.host().eagerMax())) {
            return false;
        }
        Arrival found = state.host().arrived(tag, length, Arrival.Place.EAGER);
        if (found == null) {
            return false;
        }
        receive = found.operation();
        if (receive == null) {
            arrival = found;
            found.attachment = new Unfinished(this, kept.allocate(found));
        }
        return tryTake(batch, at + Long.BYTES, size - Long.BYTES);
    }

    /** Takes the first record of an active message, header first, which begins with the length of both. */
    boolean tryBeginActive(int target, MemorySegment batch, long at, int size) {
        int header = TransportMessage.headerLength(target);
        if (!tryBegin(batch, at, size, (long) state.host().eagerMax() + header)) {
            return false;
        }
        Arrival found = state.host().activeArrived(TransportMessage.number(target), header, length);
        if (found == null) {
            return false;
        }
        receive = found.operation();
        return tryTake(batch, at + Long.BYTES, size - Long.BYTES);
    }

    private boolean tryBegin(MemorySegment batch, long at, int size, long max) {
        long announced = size < Long.BYTES ? -1 : batch.get(JAVA_LONG_UNALIGNED, at);
        if (begun || announced < 0 || announced > max) {
            state.failViolation("message in parts makes no sense: length=" + announced + ", inside another=" + begun
                    + ", limit=" + max + " bytes");
            return false;
        }
        begun = true;
        length = announced;
        taken = 0;
        return true;
    }

    /** Takes further bytes. */
    boolean tryTake(MemorySegment batch, long at, int size) {
        if (!begun || size > length - taken) {
            state.failViolation(
                    "part of a message makes no sense: length=" + size + ", missing=" + (length - taken) + " bytes");
            return false;
        }
        Operation into = receive;
        Arrival keeping = arrival;
        try {
            if (into != null) {
                long part = Math.min(size, into.length() - taken);
                if (part > 0) {
                    MemorySegment.copy(batch, at, into.buffer(), into.offset() + taken, part);
                }
            } else if (keeping != null) {
                Unfinished unfinished = unfinished(keeping);
                kept.fill(unfinished.slab, keeping.word, taken, batch, at, size);
            }
        } catch (IllegalStateException closed) {
            // It is out of matching, so it would never end.
            state.failMemoryClosed(closed);
            return false;
        }
        taken += size;
        if (taken == length) {
            end();
        }
        return true;
    }

    private static Unfinished unfinished(Arrival kept) {
        return (Unfinished) Objects.requireNonNull(kept.attachment, "attachment");
    }

    private void end() {
        begun = false;
        Operation into = receive;
        Arrival keeping = arrival;
        receive = null;
        arrival = null;
        if (into != null) {
            into.complete(Status.OK, length);
        } else if (keeping != null) {
            Unfinished unfinished = unfinished(keeping);
            keeping.attachment = unfinished.slab;
            if (unfinished.awaited) {
                boolean _ = kept.tryDeliver(keeping);
            } else {
                keeping.markWhole();
            }
        }
    }

    /** The endpoint has ended: nothing more arrives. */
    void cancel() {
        Operation into = receive;
        Arrival keeping = arrival;
        receive = null;
        arrival = null;
        begun = false;
        if (into != null) {
            into.complete(Status.CANCELLED, 0);
        } else if (keeping != null && keeping.attachment instanceof Unfinished unfinished && unfinished.awaited) {
            Operation waiting = keeping.operation();
            unfinished.free(keeping);
            if (waiting != null) {
                waiting.complete(Status.CANCELLED, 0);
            }
        }
    }

    /** What a kept message is attached to until it is whole. */
    static final class Unfinished {
        private final EagerParts parts;
        private final EagerPool.Slab slab;
        /** A receive has matched the message meanwhile. */
        private boolean awaited;

        Unfinished(EagerParts parts, EagerPool.Slab slab) {
            this.parts = parts;
            this.slab = slab;
        }

        /** A receive has matched the message. */
        void await() {
            awaited = true;
        }

        /** Nobody wants the message. */
        void free(Arrival unwanted) {
            parts.arrival = null;
            unwanted.attachment = slab;
            boolean _ = parts.kept.tryDiscard(unwanted);
        }
    }
}
