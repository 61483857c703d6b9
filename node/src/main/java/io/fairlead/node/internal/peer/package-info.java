/** Peers: their connections, and the operations that are posted on them. */
@NullMarked
package io.fairlead.node.internal.peer;

import org.jspecify.annotations.NullMarked;
