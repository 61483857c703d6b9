package io.fairlead.transport.tcp;

import io.fairlead.spi.RemoteMemory;

/** A peer's region: frames name it by its id at the peer. The core has checked ranges against the length already. */
record TcpRemoteMemory(long regionId) implements RemoteMemory {
    @Override
    public void close() {
        // Nothing is held for it.
    }
}
