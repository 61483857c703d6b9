/** What supplies TLS engines: the JDK's by default, and any other by the service loader. */
@NullMarked
package io.fairlead.security.engine;

import org.jspecify.annotations.NullMarked;
