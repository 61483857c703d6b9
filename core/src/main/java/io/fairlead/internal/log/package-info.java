/** What log lines carry beside their words. */
@NullMarked
package io.fairlead.internal.log;

import org.jspecify.annotations.NullMarked;
