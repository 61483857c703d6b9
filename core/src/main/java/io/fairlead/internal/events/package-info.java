/** State changes of endpoints and workers, for the log and the flight recorder. */
@NullMarked
package io.fairlead.internal.events;

import org.jspecify.annotations.NullMarked;
