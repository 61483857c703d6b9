package io.fairlead.spi;

import io.fairlead.FairleadConfig;

/**
 * What a context gives a transport that it opens. Immutable and thread-safe.
 *
 * @param config the context's configuration
 * @param incarnation the context's incarnation, a number other than 0 that no other context has
 */
public record TransportSetup(FairleadConfig config, long incarnation) {}
