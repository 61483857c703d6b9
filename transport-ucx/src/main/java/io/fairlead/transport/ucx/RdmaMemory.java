package io.fairlead.transport.ucx;

import io.fairlead.spi.Operation;

/** A region that the network card reaches: UCX's own puts, gets and atomics. */
final class RdmaMemory implements UcxRemoteMemory {
    private final long key;
    private final long address;

    RdmaMemory(long key, long address) {
        this.key = key;
        this.address = address;
    }

    @Override
    public boolean put(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            return false;
        }
        endpoint.touches(true);
        Flights flights = endpoint.flights();
        // A put with a signal ends when its signal has left, so that the bound on operations bounds signals too.
        boolean hasSignal = operation.hasSignal();
        long length = operation.length();
        Flight flight =
                flights.take(hasSignal ? Flight.Kind.PUT_SIGNAL : Flight.Kind.PLAIN, endpoint, operation, length);
        flights.posted(
                flight,
                length == 0
                        ? 0
                        : Ucp.put(
                                endpoint.handle(),
                                local(operation),
                                length,
                                remote(operation),
                                key,
                                flights.plain.of(flight.index)));
        if (hasSignal && !endpoint.ended()) {
            endpoint.signals().afterFlush(operation);
        }
        return true;
    }

    @Override
    public boolean get(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            return false;
        }
        endpoint.touches(false);
        Flights flights = endpoint.flights();
        long length = operation.length();
        Flight flight = flights.take(Flight.Kind.PLAIN, endpoint, operation, length);
        flights.posted(
                flight,
                length == 0
                        ? 0
                        : Ucp.get(
                                endpoint.handle(),
                                local(operation),
                                length,
                                remote(operation),
                                key,
                                flights.plain.of(flight.index)));
        return true;
    }

    @Override
    public boolean atomic(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            return false;
        }
        endpoint.touches(true);
        Flights flights = endpoint.flights();
        Flight flight = flights.take(Flight.Kind.ATOMIC, endpoint, operation, Long.BYTES);
        int code = switch (operation.atomic()) {
            case ADD -> Ucp.ATOMIC_ADD;
            case AND -> Ucp.ATOMIC_AND;
            case OR -> Ucp.ATOMIC_OR;
            case XOR -> Ucp.ATOMIC_XOR;
            case SWAP -> Ucp.ATOMIC_SWAP;
            case COMPARE_SWAP -> Ucp.ATOMIC_COMPARE_SWAP;
        };
        if (code == Ucp.ATOMIC_COMPARE_SWAP) {
            // UCX compares with the operand, and finds the new value where the old one goes.
            flight.operands(operation.compare(), operation.operand());
        } else {
            flight.operands(operation.operand(), 0);
        }
        flights.posted(
                flight,
                Ucp.atomic(
                        endpoint.handle(),
                        code,
                        flight.words.address(),
                        remote(operation),
                        key,
                        flights.atomic.of(flight.index, flight.replyBuffer())));
        return true;
    }

    private static long local(Operation operation) {
        return operation.buffer().address() + operation.offset();
    }

    private long remote(Operation operation) {
        return address + operation.remoteOffset();
    }

    @Override
    public void close() {
        Ucp.destroyKey(key);
    }
}
