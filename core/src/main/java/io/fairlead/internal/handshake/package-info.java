/** From an accepted or opened connection to a chosen path: messages, their encoding, and the choice. */
@NullMarked
package io.fairlead.internal.handshake;

import org.jspecify.annotations.NullMarked;
