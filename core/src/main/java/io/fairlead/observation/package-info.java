/** The context of a message: what observers, such as tracing, attach to it at the sender and read at the receiver. */
@Incubating
@NullMarked
package io.fairlead.observation;

import io.fairlead.Incubating;
import org.jspecify.annotations.NullMarked;
