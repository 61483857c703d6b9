/** Contexts, workers, endpoints, listeners, memory regions and remote keys. */
@NullMarked
package io.fairlead;

import org.jspecify.annotations.NullMarked;
