/** Finds the members of a service by Kubernetes. */
@NullMarked
package io.fairlead.discovery.kubernetes;

import org.jspecify.annotations.NullMarked;
