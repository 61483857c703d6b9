/** Durations and sizes as people write them: in configuration, options and recordings. */
@NullMarked
package io.fairlead.internal.units;

import org.jspecify.annotations.NullMarked;
