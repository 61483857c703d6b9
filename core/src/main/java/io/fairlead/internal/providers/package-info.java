/** Where a context finds its transports. */
@NullMarked
package io.fairlead.internal.providers;

import org.jspecify.annotations.NullMarked;
