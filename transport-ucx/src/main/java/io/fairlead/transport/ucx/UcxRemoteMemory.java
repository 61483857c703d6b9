package io.fairlead.transport.ucx;

import io.fairlead.spi.RemoteMemory;
import org.openucx.jucx.ucp.UcpRemoteKey;

/** A peer's mapped memory as one endpoint reaches it. */
final class UcxRemoteMemory implements RemoteMemory {
    private final UcpRemoteKey key;
    final long handle;
    final long address;

    UcxRemoteMemory(UcpRemoteKey key, long address) {
        this.key = key;
        this.handle = key.getNativeId();
        this.address = address;
    }

    @Override
    public void close() {
        key.close();
    }
}
