/** Raw JUCX as a contestant of {@code fairlead bench perf}. */
@NullMarked
package io.fairlead.benchmarks.rival;

import org.jspecify.annotations.NullMarked;
