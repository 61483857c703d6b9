/**
 * Where the peers of a service are: what a registry or a name server implements so that a node can be told a name instead of addresses.
 */
@NullMarked
package io.fairlead.node.discovery;

import org.jspecify.annotations.NullMarked;
