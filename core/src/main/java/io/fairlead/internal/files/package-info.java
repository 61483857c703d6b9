/** Files that are read again when they have changed. */
@NullMarked
package io.fairlead.internal.files;

import org.jspecify.annotations.NullMarked;
