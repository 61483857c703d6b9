/**
 * What travels between two cores, and how a path is chosen from it: pure functions over bytes and values, without state, sockets or
 * threads.
 */
@NullMarked
package io.fairlead.internal.wire;

import org.jspecify.annotations.NullMarked;
