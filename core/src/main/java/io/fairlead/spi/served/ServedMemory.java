package io.fairlead.spi.served;

import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;

/**
 * A region of the peer that the peer serves by messages. The {@link io.fairlead.spi.Operation#remote()} of every operation given to a {@link RemoteRequester} is one. Belongs
 * to one endpoint and to its worker's thread.
 */
public class ServedMemory implements RemoteMemory {
    private final RegionProof proof;
    /** The proof has left in a request. */
    private boolean shown;

    /**
     * Makes the remote memory of a region.
     *
     * @param proof the proof that {@link io.fairlead.spi.TransportEndpoint#unpack} was given
     */
    public ServedMemory(RegionProof proof) {
        this.proof = proof;
    }

    /** What the first request for the region shows its owner. */
    final RegionProof proof() {
        return proof;
    }

    final boolean isShown() {
        return shown;
    }

    final void markShown() {
        shown = true;
    }

    /** Nothing is held for it. */
    @Override
    public void close() {
        // Subclasses may hold something.
    }
}
