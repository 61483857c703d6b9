/**
 * The service provider interface: what a transport implements ({@link io.fairlead.spi.TransportProvider} first), and
 * the core's objects that it calls ({@link io.fairlead.spi.EndpointHost}, {@link io.fairlead.spi.WorkerHost}).
 * Applications do not need it. {@code docs/transport-guide.md} explains how to write a transport.
 */
@NullMarked
package io.fairlead.spi;

import org.jspecify.annotations.NullMarked;
