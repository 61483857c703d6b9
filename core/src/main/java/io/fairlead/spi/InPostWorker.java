package io.fairlead.spi;

import io.fairlead.Incubating;

/**
 * A worker whose posts move inside the post. A turn of the core's worker that has completions to deliver may leave its progress out, as
 * it may not where posts wait for progress to send them. As {@link TransportWorker} otherwise.
 */
@Incubating
public interface InPostWorker extends TransportWorker {}
