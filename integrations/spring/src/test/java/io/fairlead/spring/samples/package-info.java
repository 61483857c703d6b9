/** An application and its peer, to copy from. */
@NullMarked
package io.fairlead.spring.samples;

import org.jspecify.annotations.NullMarked;
