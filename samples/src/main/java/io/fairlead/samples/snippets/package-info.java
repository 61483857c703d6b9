/** The examples of the README, complete and compiled. Each runs both sides in one process. */
@NullMarked
package io.fairlead.samples.snippets;

import org.jspecify.annotations.NullMarked;
