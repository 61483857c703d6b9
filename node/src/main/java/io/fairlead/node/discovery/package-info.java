/**
 * Finding the peers of a service: what a registry or a name server implements so that a node takes a name instead of addresses.
 */
@NullMarked
package io.fairlead.node.discovery;

import org.jspecify.annotations.NullMarked;
