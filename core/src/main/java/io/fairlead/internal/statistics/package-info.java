/** What workers count, and its sum over a context. */
@NullMarked
package io.fairlead.internal.statistics;

import org.jspecify.annotations.NullMarked;
