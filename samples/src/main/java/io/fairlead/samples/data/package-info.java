/** The data set of the samples and of {@code fairlead demo}. */
@NullMarked
package io.fairlead.samples.data;

import org.jspecify.annotations.NullMarked;
