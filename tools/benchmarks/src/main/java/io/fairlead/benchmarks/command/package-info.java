/** What all comparisons take on the command line, and what they ask of the machine. */
@NullMarked
package io.fairlead.benchmarks.command;

import org.jspecify.annotations.NullMarked;
