/** Makes TLS engines of what the files hold, and judges what peers show. */
@NullMarked
package io.fairlead.security.internal.tls;

import org.jspecify.annotations.NullMarked;
