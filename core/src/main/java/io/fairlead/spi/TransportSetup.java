package io.fairlead.spi;

import io.fairlead.FairleadConfig;

/**
 * The context's data for a transport that it opens. Immutable and thread-safe.
 *
 * @param config the context's configuration
 * @param incarnation the context's incarnation, a unique number other than 0
 */
public record TransportSetup(FairleadConfig config, long incarnation) {}
