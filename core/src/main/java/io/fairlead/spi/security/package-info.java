/** What secures connections implements: TLS engines, the proof of a shared secret, and who the peer is. */
@NullMarked
package io.fairlead.spi.security;

import org.jspecify.annotations.NullMarked;
