/** The configuration keys of certificates and secrets, and the making of certificates. */
@NullMarked
package io.fairlead.security;

import org.jspecify.annotations.NullMarked;
