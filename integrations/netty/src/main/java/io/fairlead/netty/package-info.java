/**
 * Netty channels on Fairlead. Event loops are made with {@link io.fairlead.netty.FairleadIoHandler}, and channels are
 * {@link io.fairlead.netty.FairleadSocketChannel} and {@link io.fairlead.netty.FairleadServerSocketChannel}; handlers, codecs and what is built on
 * them, such as gRPC, stay as they are.
 */
@NullMarked
package io.fairlead.netty;

import org.jspecify.annotations.NullMarked;
