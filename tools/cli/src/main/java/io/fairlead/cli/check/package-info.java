/** {@code fairlead rdma-check}: whether a pair of hosts works, over RDMA where they have it. */
@NullMarked
package io.fairlead.cli.check;

import org.jspecify.annotations.NullMarked;
