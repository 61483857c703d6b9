/** Creates TLS engines from the files' contents, and checks the peers' certificates. */
@NullMarked
package io.fairlead.security.internal.tls;

import org.jspecify.annotations.NullMarked;
