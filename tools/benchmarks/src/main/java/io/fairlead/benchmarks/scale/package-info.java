/** How figures change as there is more of something: endpoints, threads, subscribers, regions, bytes and processes. */
@NullMarked
package io.fairlead.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
