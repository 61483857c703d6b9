/** The engine behind {@link io.fairlead.node.Node}: progress threads, queues, matching and futures. */
@NullMarked
package io.fairlead.node.internal;

import org.jspecify.annotations.NullMarked;
