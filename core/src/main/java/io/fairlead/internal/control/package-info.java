/** The control frames of an endpoint, and whether its peer lives. */
@NullMarked
package io.fairlead.internal.control;

import org.jspecify.annotations.NullMarked;
