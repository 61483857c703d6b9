/** Regions that peers access, and keys of the peers' regions. */
@NullMarked
package io.fairlead.internal.memory;

import org.jspecify.annotations.NullMarked;
