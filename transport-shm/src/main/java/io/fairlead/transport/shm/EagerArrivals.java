package io.fairlead.transport.shm;

import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EagerPool;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The messages that come with their payload in an endpoint's ring. Those that no receive has matched are kept in the worker's memory. */
final class EagerArrivals {
    private final EndpointOwner owner;
    private final EndpointHost host;
    private final EagerPool pool;
    /** A message of which parts are still to come, and how much of it is here. */
    private @Nullable Arrival partial;

    private long partialLength;
    private long partialBytes;
    /** Nobody wants the parts that are still to come, and the arrival is another message's by now. */
    private boolean unwanted;

    EagerArrivals(EndpointOwner owner, EagerPool pool) {
        this.owner = owner;
        this.host = owner.host();
        this.pool = pool;
    }

    /** Takes a message in one piece; false if nothing that follows makes sense, as in the others. */
    boolean tryTakeMessage(RingReader ring) {
        long length = ring.length();
        long tag = ring.tag();
        Operation receive = host.match(tag, length);
        if (receive == null) {
            Arrival arrival = host.arrived(tag, length, Arrival.Place.EAGER);
            if (arrival == null) {
                return false;
            }
            receive = arrival.operation();
            if (receive == null) {
                keep(ring, arrival, (int) length);
                return true;
            }
        }
        try {
            ring.copy(receive.buffer(), receive.offset(), Math.min(length, receive.length()));
        } catch (IllegalStateException closed) {
            // It is out of matching, so that it would never end.
            owner.failMemoryClosed(closed);
            receive.complete(Status.CANCELLED, 0);
            return false;
        }
        receive.complete(Status.OK, length);
        return true;
    }

    private void keep(RingReader ring, Arrival arrival, int length) {
        EagerPool.Slab slab = room(arrival, length);
        ring.copy(slab.memory(), slab.offset((int) arrival.word), length);
        arrival.markWhole();
    }

    /** Memory of the worker for a message that no receive has matched. */
    EagerPool.Slab room(Arrival arrival, int length) {
        EagerPool.Slab slab = pool.take(length);
        arrival.attachment = slab;
        arrival.word = slab.taken();
        return slab;
    }

    /** Takes the beginning of a message. */
    boolean tryTakeFirst(RingReader ring) {
        if (isPartial() || ring.length() > host.eagerMax()) {
            return failMalformed(ring);
        }
        Arrival arrival = host.arrived(ring.tag(), ring.length(), Arrival.Place.EAGER);
        if (arrival == null) {
            return false;
        }
        if (arrival.operation() == null) {
            EagerPool.Slab _ = room(arrival, (int) ring.length());
        }
        partial = arrival;
        partialLength = arrival.length();
        partialBytes = 0;
        return tryTakePart(ring, arrival);
    }

    private boolean isPartial() {
        return partial != null || unwanted;
    }

    /** Takes more of it. */
    boolean tryTakeMore(RingReader ring) {
        if (!isPartial() || ring.length() == 0 || partialBytes + ring.length() > partialLength) {
            return failMalformed(ring);
        }
        Arrival arrival = partial;
        if (arrival != null) {
            return tryTakePart(ring, arrival);
        }
        partialBytes += ring.payload();
        unwanted = partialBytes < partialLength;
        return true;
    }

    private boolean failMalformed(RingReader ring) {
        owner.failViolation(ring.malformedText());
        return false;
    }

    private boolean tryTakePart(RingReader ring, Arrival arrival) {
        long part = ring.payload();
        Operation receive = arrival.operation();
        if (arrival.attachment instanceof EagerPool.Slab slab) {
            ring.copy(slab.memory(), slab.offset((int) arrival.word) + partialBytes, part);
        } else if (receive != null) {
            long room = Math.min(part, receive.length() - partialBytes);
            if (room > 0) {
                ring.copy(receive.buffer(), receive.offset() + partialBytes, room);
            }
        }
        partialBytes += part;
        if (partialBytes < partialLength) {
            return true;
        }
        partial = null;
        if (receive == null) {
            arrival.markWhole();
            return true;
        }
        try {
            if (!tryDeliver(arrival)) {
                receive.complete(Status.OK, partialLength);
            }
            return true;
        } catch (IllegalStateException closed) {
            // It is out of matching, so that it would never end.
            owner.failMemoryClosed(closed);
            discard(arrival);
            receive.complete(Status.CANCELLED, 0);
            return false;
        }
    }

    /** Whether parts of a message are still to come. */
    boolean isArriving(Arrival arrival) {
        return arrival.equals(partial);
    }

    /** Delivers a message that was kept; true if it was one of these. */
    boolean tryDeliver(Arrival arrival) {
        if (!(arrival.attachment instanceof EagerPool.Slab slab)) {
            return false;
        }
        Operation receive = Objects.requireNonNull(arrival.operation(), "operation");
        int block = (int) arrival.word;
        long length = arrival.length();
        MemorySegment.copy(
                slab.memory(),
                slab.offset(block),
                receive.buffer(),
                receive.offset(),
                Math.min(length, receive.length()));
        pool.giveBack(slab, block);
        arrival.attachment = null;
        arrival.word = 0;
        receive.complete(Status.OK, length);
        return true;
    }

    /** Frees a message that was kept, if it is one of these. */
    void discard(Arrival arrival) {
        if (arrival.attachment instanceof EagerPool.Slab slab) {
            pool.giveBack(slab, (int) arrival.word);
            arrival.attachment = null;
            arrival.word = 0;
        }
        if (isArriving(arrival)) {
            partial = null;
            unwanted = true;
        }
    }

    /** The endpoint has ended, and with it what is not here whole. */
    void close() {
        Arrival cutOff = partial;
        if (cutOff != null) {
            partial = null;
            discard(cutOff);
            Operation receive = cutOff.operation();
            if (receive != null) {
                receive.complete(Status.CANCELLED, 0);
            }
        }
    }
}
