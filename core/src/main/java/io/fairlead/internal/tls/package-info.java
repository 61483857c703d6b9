/** TLS on the connections of a context: engines over sockets, the TLS handshake, and the proof of a shared secret. */
@NullMarked
package io.fairlead.internal.tls;

import org.jspecify.annotations.NullMarked;
