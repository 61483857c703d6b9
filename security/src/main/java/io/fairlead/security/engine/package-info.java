/** Providers of TLS engines: the JDK's by default, and others by the service loader. */
@NullMarked
package io.fairlead.security.engine;

import org.jspecify.annotations.NullMarked;
