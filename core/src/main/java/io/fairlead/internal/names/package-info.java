/** Names that users type. */
@NullMarked
package io.fairlead.internal.names;

import org.jspecify.annotations.NullMarked;
