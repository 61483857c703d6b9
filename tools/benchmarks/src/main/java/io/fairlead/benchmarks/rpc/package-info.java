/** Requests and replies: of nodes, of Netty and of gRPC, and gRPC over Fairlead's channels. */
@NullMarked
package io.fairlead.benchmarks.rpc;

import org.jspecify.annotations.NullMarked;
