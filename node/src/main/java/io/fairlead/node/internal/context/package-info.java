/** Contexts of messages on their way out and in, each in a frame before its message. */
@NullMarked
package io.fairlead.node.internal.context;

import org.jspecify.annotations.NullMarked;
