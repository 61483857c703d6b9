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
        endpoint.rdmaPut(operation, address + operation.remoteOffset(), key);
        return true;
    }

    @Override
    public boolean get(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            return false;
        }
        endpoint.rdmaGet(operation, address + operation.remoteOffset(), key);
        return true;
    }

    @Override
    public boolean atomic(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            return false;
        }
        endpoint.rdmaAtomic(operation, address + operation.remoteOffset(), key);
        return true;
    }

    @Override
    public void close() {
        Ucp.destroyKey(key);
    }
}
