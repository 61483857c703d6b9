package io.fairlead.spi;

import io.fairlead.Incubating;

/**
 * A {@link TransportEndpoint} that can make progress on its own. For a transport whose
 * {@link TransportWorker#progress()} does not poll every endpoint every time.
 */
@Incubating
public interface ProgressingEndpoint extends TransportEndpoint {
    /**
     * Handles everything that has arrived on this endpoint. The core calls this when the peer is gone and nothing more
     * can arrive.
     *
     * @return how many events were handled
     */
    int progress();
}
