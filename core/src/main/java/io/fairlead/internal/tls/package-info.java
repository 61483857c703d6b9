/** TLS on the connections of a context: the engine of each over its socket, the handshake of TLS, and the proof of a shared secret. */
@NullMarked
package io.fairlead.internal.tls;

import org.jspecify.annotations.NullMarked;
