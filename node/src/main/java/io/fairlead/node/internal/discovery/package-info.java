/** Services by name: resolvers, registrations, and connections to a member. */
@NullMarked
package io.fairlead.node.internal.discovery;

import org.jspecify.annotations.NullMarked;
