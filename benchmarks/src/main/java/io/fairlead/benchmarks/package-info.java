/** Benchmarks and the commands that run them. */
@NullMarked
package io.fairlead.benchmarks;

import org.jspecify.annotations.NullMarked;
