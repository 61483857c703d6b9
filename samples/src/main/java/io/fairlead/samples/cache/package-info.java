/**
 * A key-value store in a memory region. Clients read it with one-sided gets, which on RDMA and shared
 * memory cost the server nothing; they write by a message to the server, which alone changes the memory.
 */
@NullMarked
package io.fairlead.samples.cache;

import org.jspecify.annotations.NullMarked;
