/** What commands have in common: their options, their errors, their output and their log. */
@NullMarked
package io.fairlead.cli.command;

import org.jspecify.annotations.NullMarked;
