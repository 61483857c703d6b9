/** The control frames of an endpoint, and the watch of its peer. */
@NullMarked
package io.fairlead.internal.control;

import org.jspecify.annotations.NullMarked;
