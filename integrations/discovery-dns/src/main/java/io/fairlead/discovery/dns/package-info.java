/** Finds the members of a service by DNS. */
@NullMarked
package io.fairlead.discovery.dns;

import org.jspecify.annotations.NullMarked;
