/** {@code fairlead perf}: latency, rate and bandwidth between two processes, also beside UCX's own program. */
@NullMarked
package io.fairlead.cli.perf;

import org.jspecify.annotations.NullMarked;
