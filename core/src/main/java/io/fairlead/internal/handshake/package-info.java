/** From an accepted or opened connection to a chosen path: messages, their bytes, and the choice. */
@NullMarked
package io.fairlead.internal.handshake;

import org.jspecify.annotations.NullMarked;
