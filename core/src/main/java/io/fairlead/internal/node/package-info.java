/** The engine behind {@link io.fairlead.Node}: progress threads, queues, matching and futures. */
@NullMarked
package io.fairlead.internal.node;

import org.jspecify.annotations.NullMarked;
