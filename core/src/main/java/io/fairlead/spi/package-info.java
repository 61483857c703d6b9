/** What a transport implements, and what core gives it to work with. */
@NullMarked
package io.fairlead.spi;

import org.jspecify.annotations.NullMarked;
