/**
 * Support for transports between processes of one host: whether two processes can share memory, and access to the
 * kernel's files.
 */
@NullMarked
package io.fairlead.spi.host;

import org.jspecify.annotations.NullMarked;
