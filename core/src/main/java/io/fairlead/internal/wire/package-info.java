/** The encoding of numbers and text between processes, with their limits. Without state, sockets or threads. */
@NullMarked
package io.fairlead.internal.wire;

import org.jspecify.annotations.NullMarked;
