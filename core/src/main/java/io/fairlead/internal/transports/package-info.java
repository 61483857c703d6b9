/** The transports that a context has opened. */
@NullMarked
package io.fairlead.internal.transports;

import org.jspecify.annotations.NullMarked;
