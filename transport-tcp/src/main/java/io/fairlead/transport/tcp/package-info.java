/** The transport over TCP. */
@NullMarked
package io.fairlead.transport.tcp;

import org.jspecify.annotations.NullMarked;
