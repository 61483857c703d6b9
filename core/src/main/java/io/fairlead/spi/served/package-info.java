/**
 * Emulated remote memory access by messages: the owner of a region serves the puts, gets and atomics of its peers. For
 * transports whose hardware cannot access the memory of a peer.
 *
 * <p>A transport gives each endpoint an {@link io.fairlead.spi.served.RemoteRequester} and a
 * {@link io.fairlead.spi.served.RemoteResponder}. It implements {@link io.fairlead.spi.served.ServedChannel}, which
 * carries a {@link io.fairlead.spi.served.ServedMessage} to the peer, and passes every message of the peer to one of
 * the two. Order, flow control, range and rights checks, atomics, signals, flushes and refusals are done here. Nothing
 * here allocates in steady state, and everything belongs to the worker's thread.
 */
@Incubating
@NullMarked
package io.fairlead.spi.served;

import io.fairlead.Incubating;
import org.jspecify.annotations.NullMarked;
