/** The context of a message: data that observers, such as tracing, attach at the sender and read at the receiver. */
@Incubating
@NullMarked
package io.fairlead.observation;

import io.fairlead.Incubating;
import org.jspecify.annotations.NullMarked;
