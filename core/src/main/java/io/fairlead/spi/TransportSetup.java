package io.fairlead.spi;

import io.fairlead.FairleadConfig;

/**
 * What a transport is opened with. Immutable.
 *
 * @param config the context's configuration
 * @param incarnation the context's identity
 */
public record TransportSetup(FairleadConfig config, long incarnation) {}
