/** What observers of an application attach to its messages. */
@NullMarked
package io.fairlead.observation;

import org.jspecify.annotations.NullMarked;
