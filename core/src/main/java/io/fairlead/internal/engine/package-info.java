/** The engine: context, worker, endpoint, operations, completions and credits. */
@NullMarked
package io.fairlead.internal.engine;

import org.jspecify.annotations.NullMarked;
