/** Native memory of a node: the pool, bounds in bytes, and copies of callers' memory. */
@NullMarked
package io.fairlead.node.internal.memory;

import org.jspecify.annotations.NullMarked;
