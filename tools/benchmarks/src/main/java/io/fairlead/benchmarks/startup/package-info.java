/** How soon a new pair of processes has its first answer, beside what else sends messages. */
@NullMarked
package io.fairlead.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
