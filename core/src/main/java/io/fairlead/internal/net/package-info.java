/** Sockets of the engine: plain connections, the selector, and lingering sockets after a graceful close. */
@NullMarked
package io.fairlead.internal.net;

import org.jspecify.annotations.NullMarked;
