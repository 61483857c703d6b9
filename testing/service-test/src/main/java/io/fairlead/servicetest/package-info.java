/** Nodes and a registry of one process, to test services with any test library. */
@NullMarked
package io.fairlead.servicetest;

import org.jspecify.annotations.NullMarked;
