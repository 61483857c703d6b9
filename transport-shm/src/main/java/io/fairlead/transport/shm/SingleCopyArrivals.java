package io.fairlead.transport.shm;

import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EagerPool;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The single-copy messages of an endpoint: short enough for eager ones, but with their payload in the sender's process.
 * The payload is read as soon as the record is, with one copy, into the receive's buffer, or into the worker's memory
 * while no receive has matched.
 */
final class SingleCopyArrivals {
    private final EndpointOwner owner;
    private final ProcessRead memory;
    private final EagerArrivals eager;
    private final RendezvousIn announced;
    /** The sender's process; null if reading it is not allowed. */
    private final @Nullable PinnedProcess process;

    /** The ring that this side writes shows whether the peer has released its memory. */
    private final RingOutbox outbox;

    SingleCopyArrivals(
            EndpointOwner owner,
            ProcessRead memory,
            @Nullable PinnedProcess process,
            EagerArrivals eager,
            RendezvousIn announced,
            RingOutbox outbox) {
        this.owner = owner;
        this.memory = memory;
        this.process = process;
        this.eager = eager;
        this.announced = announced;
        this.outbox = outbox;
    }

    /** Takes a message; false if the ring is unusable from here on. */
    boolean tryTake(RingReader ring) {
        EndpointHost host = owner.host();
        long length = ring.length();
        if (length == 0 || length > host.eagerMax()) {
            owner.failViolation(ring.malformedText());
            return false;
        }
        if (!announced.hasRoom()) {
            return false;
        }
        Arrival arrival = host.arrived(ring.tag(), length, Arrival.Place.EAGER);
        if (arrival == null) {
            return false;
        }
        Operation receive = arrival.operation();
        try {
            if (!tryRead(ring, arrival, receive)) {
                // Reading has failed, or was never allowed: RendezvousIn finds the alternative, or the sender's fault.
                eager.discard(arrival);
                announced.add(ring, arrival);
                return true;
            }
        } catch (IllegalStateException closed) {
            owner.failMemoryClosed(closed);
            end(receive, Status.CANCELLED, 0);
            return false;
        }
        RingWriter writer = outbox.ring();
        if (writer == null || writer.hasReaderEnded()) {
            owner.failLost("its memory is given back");
            end(receive, Status.CANCELLED, 0);
            return false;
        }
        announced.taken(ring);
        if (receive == null) {
            arrival.markWhole();
        } else {
            receive.complete(Status.OK, length);
        }
        return true;
    }

    private static void end(@Nullable Operation receive, Status status, long length) {
        if (receive != null) {
            receive.complete(status, length);
        }
    }

    private boolean tryRead(RingReader ring, Arrival arrival, @Nullable Operation receive) {
        PinnedProcess sender = process;
        long from = ring.number(Long.BYTES);
        if (sender == null || from == 0) {
            return false;
        }
        MemorySegment target;
        long offset;
        long wanted = ring.length();
        if (receive == null) {
            EagerPool.Slab slab = eager.room(arrival, (int) wanted);
            target = slab.memory();
            offset = slab.offset((int) arrival.word);
        } else {
            target = receive.buffer();
            offset = receive.offset();
            wanted = Math.min(wanted, receive.length());
        }
        for (long done = 0; done < wanted; ) {
            long count = memory.read(sender, from + done, target, offset + done, wanted - done);
            if (count <= 0) {
                return false;
            }
            done += count;
        }
        return true;
    }
}
