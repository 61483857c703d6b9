/** What drives Jazzer, and what the harnesses have in common; a harness is in the package of what it feeds. */
@NullMarked
package io.fairlead.fuzz;

import org.jspecify.annotations.NullMarked;
