/**
 * Who may connect, and which topics and regions a peer may use: the file of rules, and the limits per identity and
 * address.
 */
@NullMarked
package io.fairlead.internal.access;

import org.jspecify.annotations.NullMarked;
