/** The transport over shared memory. Every native call is to the C library, and in this package. */
@NullMarked
package io.fairlead.transport.shm;

import org.jspecify.annotations.NullMarked;
