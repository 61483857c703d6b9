/** {@code fairlead top}: what processes do, read from their metrics. */
@NullMarked
package io.fairlead.cli.top;

import org.jspecify.annotations.NullMarked;
