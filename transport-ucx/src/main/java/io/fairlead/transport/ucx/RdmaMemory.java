package io.fairlead.transport.ucx;

import io.fairlead.spi.Operation;
import io.fairlead.spi.served.ServedMemory;

/** A region that the network card reaches: UCX's own puts and gets. */
final class RdmaMemory implements UcxRemoteMemory, ServedMemory {
    private final long key;
    private final long address;
    private final long regionId;

    RdmaMemory(long key, long address, long regionId) {
        this.key = key;
        this.address = address;
        this.regionId = regionId;
    }

    @Override
    public long regionId() {
        return regionId;
    }

    @Override
    public boolean put(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            endpoint.asking().put(operation);
            return true;
        }
        endpoint.touches(true);
        Flights flights = endpoint.flights();
        // A put with a signal ends when its signal has left, so that the bound on operations bounds signals too.
        boolean hasSignal = operation.hasSignal();
        long length = operation.length();
        long answer = length == 0
                ? 0
                : Ucp.put(
                        endpoint.handle(),
                        operation.buffer(),
                        operation.offset(),
                        length,
                        remote(operation),
                        key,
                        flights.plain.of(flights.nextIndex()));
        flights.posted(
                flights.take(hasSignal ? Flight.Kind.PUT_SIGNAL : Flight.Kind.PLAIN, endpoint, operation, length),
                answer);
        if (hasSignal && !endpoint.ended()) {
            endpoint.signals().afterFlush(operation);
        }
        return true;
    }

    @Override
    public boolean get(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            endpoint.asking().get(operation);
            return true;
        }
        endpoint.touches(false);
        Flights flights = endpoint.flights();
        long length = operation.length();
        long answer = length == 0
                ? 0
                : Ucp.get(
                        endpoint.handle(),
                        operation.buffer(),
                        operation.offset(),
                        length,
                        remote(operation),
                        key,
                        flights.plain.of(flights.nextIndex()));
        flights.posted(flights.take(Flight.Kind.PLAIN, endpoint, operation, length), answer);
        return true;
    }

    /**
     * Asks the peer for it. UCX does atomics by itself too, and lets the network card do them only where that knows all of them. Else it
     * emulates them in the target's progress (and before 1.14 tells nobody), on whatever is at the address by then: one on a region that
     * has been closed ends the target's process, and one in flight when its endpoint ends that of the initiator, which deregisters
     * memory that it never registered (1.13, {@code ucp_ep_req_purge}).
     */
    @Override
    public boolean atomic(UcxEndpoint endpoint, Operation operation) {
        endpoint.asking().atomic(operation);
        return true;
    }

    private long remote(Operation operation) {
        return address + operation.remoteOffset();
    }

    @Override
    public void close() {
        Ucp.destroyKey(key);
    }
}
