package io.fairlead.spi;

import io.fairlead.Incubating;

/**
 * A {@link TransportWorker} whose posts send inside the call, and leave nothing for {@link #progress()} to send later.
 * The core may then skip the transport's progress in a turn that has completions to deliver.
 */
@Incubating
public interface InPostWorker extends TransportWorker {}
