package io.fairlead.transport.ucx;

import io.fairlead.spi.Operation;
import io.fairlead.spi.served.ServedMemory;

/**
 * A region that this process cannot reach by itself: its owner serves it when it makes progress, and checks region, range and rights as
 * it does. UCX could do as much for such memory, but without any check, into whatever is at the address by then.
 */
final class UcxServedMemory implements UcxRemoteMemory, ServedMemory {
    private final long regionId;

    UcxServedMemory(long regionId) {
        this.regionId = regionId;
    }

    @Override
    public long regionId() {
        return regionId;
    }

    @Override
    public boolean put(UcxEndpoint endpoint, Operation operation) {
        endpoint.asking().put(operation);
        return true;
    }

    @Override
    public boolean get(UcxEndpoint endpoint, Operation operation) {
        endpoint.asking().get(operation);
        return true;
    }

    @Override
    public boolean atomic(UcxEndpoint endpoint, Operation operation) {
        endpoint.asking().atomic(operation);
        return true;
    }

    @Override
    public void close() {
        // Nothing is held for it.
    }
}
