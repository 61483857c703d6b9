/** Secures the connections of a context with keys from files. */
@NullMarked
package io.fairlead.security.internal;

import org.jspecify.annotations.NullMarked;
