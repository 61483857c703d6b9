/** The transport over TCP, on java.nio. */
@NullMarked
package io.fairlead.transport.tcp;

import org.jspecify.annotations.NullMarked;
