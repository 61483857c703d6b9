/** The text format of keys and certificates. */
@NullMarked
package io.fairlead.security.internal.pem;

import org.jspecify.annotations.NullMarked;
