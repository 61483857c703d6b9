/** Receives, from the caller's future to the message. */
@NullMarked
package io.fairlead.node.internal.receive;

import org.jspecify.annotations.NullMarked;
