/** What observers of an application attach to its messages. */
@Incubating
@NullMarked
package io.fairlead.observation;

import io.fairlead.Incubating;
import org.jspecify.annotations.NullMarked;
