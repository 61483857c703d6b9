/** Sets of peers: the members of a service as one peer. */
@NullMarked
package io.fairlead.node.internal.set;

import org.jspecify.annotations.NullMarked;
