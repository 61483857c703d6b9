package io.fairlead.transport.ucx;

import io.fairlead.spi.Operation;
import io.fairlead.spi.RemoteMemory;

/** A peer's region as one endpoint reaches it; the three ways are the three classes. Each method is as in the SPI's endpoint. */
sealed interface UcxRemoteMemory extends RemoteMemory permits MappedMemory, RdmaMemory, UcxServedMemory {
    boolean put(UcxEndpoint endpoint, Operation operation);

    boolean get(UcxEndpoint endpoint, Operation operation);

    boolean atomic(UcxEndpoint endpoint, Operation operation);
}
