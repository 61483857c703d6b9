package io.fairlead.spi;

import io.fairlead.Incubating;

/**
 * An endpoint of a transport whose {@link TransportWorker#progress()} does not look at every endpoint every time. As
 * {@link TransportEndpoint} otherwise.
 */
@Incubating
public interface ProgressingEndpoint extends TransportEndpoint {
    /**
     * Takes in what is here of this endpoint alone. The core
     * calls this when the peer has gone and nothing more can come.
     *
     * @return how many events were worked on
     */
    int progress();
}
