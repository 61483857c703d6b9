package io.fairlead.fuzz;

import io.fairlead.spi.Arrival;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.TransportEndpoint;
import java.util.function.Consumer;

/**
 * The part of a transport as an endpoint that the core's messages need.
 *
 * @param delivers gives a message to its receive
 * @param discards forgets one
 */
public record MessageEndpoint(Consumer<Arrival> delivers, Consumer<Arrival> discards) implements TransportEndpoint {
    @Override
    public void deliver(Arrival arrival) {
        delivers.accept(arrival);
    }

    @Override
    public void discard(Arrival arrival) {
        discards.accept(arrival);
    }

    @Override
    public boolean send(Operation operation) {
        throw unused();
    }

    @Override
    public boolean put(Operation operation) {
        throw unused();
    }

    @Override
    public boolean get(Operation operation) {
        throw unused();
    }

    @Override
    public boolean atomic(Operation operation) {
        throw unused();
    }

    @Override
    public boolean flush(Operation operation) {
        throw unused();
    }

    @Override
    public void fence() {
        throw unused();
    }

    @Override
    public RemoteMemory unpack(byte[] key, RegionProof region, long length) {
        throw unused();
    }

    @Override
    public boolean isDrained() {
        throw unused();
    }

    @Override
    public void close() {
        throw unused();
    }

    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("a harness has messages delivered and discarded, and nothing else");
    }
}
