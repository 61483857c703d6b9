package io.fairlead.transport.shm;

import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EagerPool;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The messages whose payload is in an endpoint's ring. Unmatched ones are kept in the worker's memory. */
final class EagerArrivals {
    private final EndpointOwner owner;
    private final EndpointHost host;
    private final EagerPool pool;
    /** A message with missing parts, and the bytes that have arrived. */
    private @Nullable Arrival partial;

    private long partialLength;
    private long partialBytes;
    /** The missing parts must be discarded; the arrival is already another message's. */
    private boolean unwanted;

    EagerArrivals(EndpointOwner owner, EagerPool pool) {
        this.owner = owner;
        this.host = owner.host();
        this.pool = pool;
    }

    /** Takes a message in one piece; false if the ring is unusable from here on, as in the other methods. */
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
            // It is out of matching, so it would never end.
            owner.failMemoryClosed(closed);
            receive.complete(Status.CANCELLED, 0);
            return false;
        }
        receive.complete(Status.OK, length);
        return true;
    }

    /** Takes an active message in one piece. */
    boolean tryTakeActive(RingReader ring) {
        long target = ring.tag();
        return host.tryTakeActive(
                Ring.number(target), Ring.headerLength(target), ring.memory(), ring.payloadAt(), ring.length());
    }

    private void keep(RingReader ring, Arrival arrival, int length) {
        EagerPool.Slab slab = room(arrival, length);
        ring.copy(slab.memory(), slab.offset((int) arrival.word), length);
        arrival.markWhole();
    }

    /** Memory of the worker for an unmatched message. */
    EagerPool.Slab room(Arrival arrival, int length) {
        EagerPool.Slab slab = pool.take(length);
        arrival.attachment = slab;
        arrival.word = slab.taken();
        return slab;
    }

    /** Takes the first part of a message. */
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
        return begin(ring, arrival);
    }

    /** Takes the first part of an active message. */
    boolean tryTakeActiveFirst(RingReader ring) {
        if (isPartial()) {
            return failMalformed(ring);
        }
        long target = ring.tag();
        Arrival arrival = host.activeArrived(Ring.number(target), Ring.headerLength(target), ring.length());
        return arrival != null && begin(ring, arrival);
    }

    private boolean begin(RingReader ring, Arrival arrival) {
        partial = arrival;
        partialLength = arrival.length();
        partialBytes = 0;
        return tryTakePart(ring, arrival);
    }

    private boolean isPartial() {
        return partial != null || unwanted;
    }

    /** Takes a further part of it. */
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
        owner.failLane(ring.malformedText());
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
            // It is out of matching, so it would never end.
            owner.failMemoryClosed(closed);
            discard(arrival);
            receive.complete(Status.CANCELLED, 0);
            return false;
        }
    }

    /** Whether parts of a message are missing. */
    boolean isArriving(Arrival arrival) {
        return arrival.equals(partial);
    }

    /** Delivers a kept message; true if it was one of these. */
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

    /** Frees a kept message, if it is one of these. */
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

    /** The endpoint has ended, and with it incomplete messages. */
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
