/** Sets the log of every command up. */
@NullMarked
package io.fairlead.cli.log;

import org.jspecify.annotations.NullMarked;
