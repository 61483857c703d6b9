/** The context of log lines. */
@NullMarked
package io.fairlead.internal.log;

import org.jspecify.annotations.NullMarked;
