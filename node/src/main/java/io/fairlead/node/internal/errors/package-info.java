/** Checks of a caller's arguments, and the exceptions that a node's operations fail with. */
@NullMarked
package io.fairlead.node.internal.errors;

import org.jspecify.annotations.NullMarked;
