/** Creates certificates: an authority, and the certificates that it signs. */
@NullMarked
package io.fairlead.security.certificates;

import org.jspecify.annotations.NullMarked;
