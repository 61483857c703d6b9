/** The node itself: what callers reach through a context and its loops. */
@NullMarked
package io.fairlead.node.internal.engine;

import org.jspecify.annotations.NullMarked;
