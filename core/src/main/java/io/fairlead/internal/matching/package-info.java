/** Posted receives and arrived messages, and their matching. */
@NullMarked
package io.fairlead.internal.matching;

import org.jspecify.annotations.NullMarked;
