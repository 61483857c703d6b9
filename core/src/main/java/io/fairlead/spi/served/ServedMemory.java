package io.fairlead.spi.served;

import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;

/**
 * A region of the peer that the peer serves by messages. It is the {@link io.fairlead.spi.Operation#remote()} of every
 * operation of a {@link RemoteRequester}. Belongs to one endpoint and to its worker's thread.
 */
public class ServedMemory implements RemoteMemory {
    private final RegionProof proof;
    /** The proof was sent in a request. */
    private boolean shown;

    /**
     * Creates the remote memory of a region.
     *
     * @param proof the proof passed to {@link io.fairlead.spi.TransportEndpoint#unpack}
     */
    public ServedMemory(RegionProof proof) {
        this.proof = proof;
    }

    /** The proof that the first request for the region carries. */
    final RegionProof proof() {
        return proof;
    }

    final boolean isShown() {
        return shown;
    }

    final void markShown() {
        shown = true;
    }

    /** There are no resources to free. */
    @Override
    public void close() {
        // Subclasses may have resources.
    }
}
