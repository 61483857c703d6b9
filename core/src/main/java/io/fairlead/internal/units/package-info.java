/** Durations and sizes as text: in configuration, options and recordings. */
@NullMarked
package io.fairlead.internal.units;

import org.jspecify.annotations.NullMarked;
