/**
 * Netty channels on Fairlead. An application makes its event loops with {@link io.fairlead.netty.FairleadIoHandler}. Its channels are
 * {@link io.fairlead.netty.FairleadSocketChannel} and {@link io.fairlead.netty.FairleadServerSocketChannel}. Handlers, codecs and frameworks on top of them,
 * such as gRPC, need no change.
 */
@NullMarked
package io.fairlead.netty;

import org.jspecify.annotations.NullMarked;
