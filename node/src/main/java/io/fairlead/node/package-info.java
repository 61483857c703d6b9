/** Thread-safe messaging with futures: a node owns the threads that make progress. */
@NullMarked
package io.fairlead.node;

import org.jspecify.annotations.NullMarked;
