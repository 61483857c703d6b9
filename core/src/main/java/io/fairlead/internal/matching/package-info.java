/** Posted receives and messages that have arrived, and which belongs to which. */
@NullMarked
package io.fairlead.internal.matching;

import org.jspecify.annotations.NullMarked;
