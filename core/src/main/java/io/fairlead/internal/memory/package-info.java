/** Regions that peers reach, and keys of regions of peers. */
@NullMarked
package io.fairlead.internal.memory;

import org.jspecify.annotations.NullMarked;
