/** Makes certificates: an authority of one's own, and those that it signs. */
@NullMarked
package io.fairlead.security.certificates;

import org.jspecify.annotations.NullMarked;
