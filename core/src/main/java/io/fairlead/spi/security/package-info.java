/** The interfaces for securing connections: TLS engines, the proof of a shared secret, and the peer's identity. */
@NullMarked
package io.fairlead.spi.security;

import org.jspecify.annotations.NullMarked;
