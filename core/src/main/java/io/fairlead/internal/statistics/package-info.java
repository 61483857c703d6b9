/** The counts of workers, and their sum over a context. */
@NullMarked
package io.fairlead.internal.statistics;

import org.jspecify.annotations.NullMarked;
