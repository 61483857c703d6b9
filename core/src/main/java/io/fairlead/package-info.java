/** Contexts, workers, endpoints, listeners, memory regions and remote keys, and the node above them. */
@NullMarked
package io.fairlead;

import org.jspecify.annotations.NullMarked;
