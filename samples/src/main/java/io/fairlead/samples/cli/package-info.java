/** The {@code fairlead} command. */
@NullMarked
package io.fairlead.samples.cli;

import org.jspecify.annotations.NullMarked;
