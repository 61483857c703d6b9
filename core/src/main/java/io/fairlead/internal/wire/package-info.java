/** How numbers and text travel between processes, with their bounds. Without state, sockets or threads. */
@NullMarked
package io.fairlead.internal.wire;

import org.jspecify.annotations.NullMarked;
