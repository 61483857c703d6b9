/** Help for transports between processes of one host: whether two processes can share memory, and what the kernel's files say. */
@NullMarked
package io.fairlead.spi.host;

import org.jspecify.annotations.NullMarked;
