/** What the samples add to the {@code fairlead} command. */
@NullMarked
package io.fairlead.samples;

import org.jspecify.annotations.NullMarked;
