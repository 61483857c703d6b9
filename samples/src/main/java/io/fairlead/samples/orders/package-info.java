/** A first service: its interface, its process and a caller's. */
@NullMarked
package io.fairlead.samples.orders;

import org.jspecify.annotations.NullMarked;
