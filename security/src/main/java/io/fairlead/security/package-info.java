/** The configuration keys of certificates and secrets, and the creation of certificates. */
@NullMarked
package io.fairlead.security;

import org.jspecify.annotations.NullMarked;
