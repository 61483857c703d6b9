/** What transports within a host need to know of it: who shares memory with this process, what the kernel says, and how a peer proves itself. */
@NullMarked
package io.fairlead.spi.host;

import org.jspecify.annotations.NullMarked;
