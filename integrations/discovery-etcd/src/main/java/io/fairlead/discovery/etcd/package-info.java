/** Finds the members of a service by etcd. */
@NullMarked
package io.fairlead.discovery.etcd;

import org.jspecify.annotations.NullMarked;
