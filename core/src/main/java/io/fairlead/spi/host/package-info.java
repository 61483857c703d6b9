/**
 * Help for transports between processes of one host: whether two processes can share memory, what the kernel's files say, and how a process proves that it
 * belongs to the same user.
 */
@NullMarked
package io.fairlead.spi.host;

import org.jspecify.annotations.NullMarked;
