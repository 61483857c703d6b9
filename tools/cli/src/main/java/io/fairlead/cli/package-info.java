/** The {@code fairlead} command: its root, which knows every subcommand and which no subcommand knows. */
@NullMarked
package io.fairlead.cli;

import org.jspecify.annotations.NullMarked;
