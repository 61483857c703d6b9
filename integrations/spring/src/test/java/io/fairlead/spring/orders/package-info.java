/** An application that serves and calls a typed service, to copy from. */
@NullMarked
package io.fairlead.spring.orders;

import org.jspecify.annotations.NullMarked;
