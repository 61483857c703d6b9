/** What the command may ask core about this host and its configuration. */
@NullMarked
package io.fairlead.internal.diagnosis;

import org.jspecify.annotations.NullMarked;
