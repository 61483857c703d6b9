/** The lookup of a context's providers. */
@NullMarked
package io.fairlead.internal.providers;

import org.jspecify.annotations.NullMarked;
