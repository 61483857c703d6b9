/** Requests and replies of both sides, and the services that answer. */
@NullMarked
package io.fairlead.node.internal.request;

import org.jspecify.annotations.NullMarked;
