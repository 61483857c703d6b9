/** The findings of core for the command: this host and its configuration. */
@NullMarked
package io.fairlead.internal.diagnosis;

import org.jspecify.annotations.NullMarked;
