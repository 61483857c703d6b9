/** Listeners, and the peers that they accept. */
@NullMarked
package io.fairlead.node.internal.listen;

import org.jspecify.annotations.NullMarked;
