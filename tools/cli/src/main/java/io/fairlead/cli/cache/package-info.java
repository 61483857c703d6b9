/** {@code fairlead cache}: the cache of the samples, from the command line, and the proof of what its clients read. */
@NullMarked
package io.fairlead.cli.cache;

import org.jspecify.annotations.NullMarked;
