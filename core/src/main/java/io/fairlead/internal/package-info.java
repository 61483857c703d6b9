/** The engine between the API and the transports; not exported. */
@NullMarked
package io.fairlead.internal;

import org.jspecify.annotations.NullMarked;
