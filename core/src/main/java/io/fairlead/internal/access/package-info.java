/** Who may connect, which topics and regions a peer may use, and how much of each: the file of rules, and the limits of an identity or address. */
@NullMarked
package io.fairlead.internal.access;

import org.jspecify.annotations.NullMarked;
