/** What contexts, workers and endpoints count and time. */
@NullMarked
package io.fairlead.statistics;

import org.jspecify.annotations.NullMarked;
