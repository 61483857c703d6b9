package io.fairlead.benchmarks.contest;

import io.fairlead.cli.measure.Laps;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Work;
import io.fairlead.cli.measure.WorkSide;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.util.concurrent.Future;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Channels of Netty, with one event loop on either side and Netty's decoder for messages of one length. What the loop receives it answers itself, and flushes when it has
 * read what there is; a stream is written while the channel is writable, and flushed every {@link #BATCH} messages. Messages that are due at a time are written by the
 * application's thread, which sleeps until the answer is here.
 */
final class NettySide extends WorkSide {
    private static final int BATCH = 64;
    private static final String DECODER = "decoder";

    private final EventLoopGroup group;
    private final CompletableFuture<Channel> connected = new CompletableFuture<>();
    private final String port;
    private final Messages messages = new Messages();
    private final Idle idle;
    /** Whether a turn is on. A loop that spun at any other time would take a processor from those whose turn it is. */
    private final AtomicBoolean inTurn = new AtomicBoolean();

    NettySide(NettyTransport transport, Idle idle, Optional<String> address) {
        this.idle = idle;
        group = transport.group(() -> idle == Idle.SPIN && inTurn.get());
        ChannelInitializer<SocketChannel> handler = new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel made) {
                made.pipeline().addLast(messages);
                connected.complete(made);
            }
        };
        if (address.isPresent()) {
            port = "";
            Channel _ = transport.connect(group, address.get(), handler);
        } else {
            port = transport.listen(group, handler);
        }
    }

    @Override
    public String address() {
        return port;
    }

    @Override
    public void awaitPeer() {
        channel();
    }

    private Channel channel() {
        return connected.join();
    }

    /** On the event loop, which sees what the caller has written before. */
    private void run(Runnable task) {
        channel().eventLoop().submit(task).syncUninterruptibly();
    }

    @Override
    protected void begin(Work work, boolean leads) {
        boolean asks = work.test() == PerfTest.TAG_LAT;
        Channel channel = channel();
        inTurn.set(true);
        run(() -> {
            if (channel.pipeline().get(DECODER) != null) {
                channel.pipeline().remove(DECODER);
            }
            channel.pipeline().addFirst(DECODER, new FixedLengthFrameDecoder(work.size()));
            messages.begin(channel, work.size(), leads || asks ? work.count() : 0, !leads || asks ? work.count() : 0);
        });
    }

    /** Waits for the end of the turn, and has the loop look whether it spins. */
    private void end() {
        try {
            messages.over.join();
        } finally {
            inTurn.set(false);
            run(() -> {});
        }
    }

    @Override
    protected void lead(Work work, Laps times) {
        times.start();
        if (work.test() != PerfTest.TAG_LAT) {
            run(messages::pump);
        } else if (work.intervalNs() == 0) {
            run(() -> {
                messages.times = times;
                messages.answered = messages::sendOne;
                messages.sendOne();
            });
        } else {
            askWhenDue(work, times);
        }
        end();
        times.stop();
    }

    private void askWhenDue(Work work, Laps times) {
        for (int i = 0; i < work.count(); i++) {
            long dueNs = times.startNs() + i * work.intervalNs();
            LinkSide.awaitDue(dueNs, idle);
            CompletableFuture<Void> answered = new CompletableFuture<>();
            Future<?> _ = channel().eventLoop().submit(() -> {
                messages.answered = () -> answered.complete(null);
                messages.sendOne();
            });
            answered.join();
            times.record(System.nanoTime() - dueNs);
        }
    }

    @Override
    protected void follow(Work work) {
        if (work.test() == PerfTest.TAG_LAT) {
            run(() -> {
                messages.answered = messages::holdOne;
                messages.catchUp();
            });
        }
        end();
    }

    @Override
    public void close() {
        channel().close().syncUninterruptibly();
        group.shutdownGracefully().syncUninterruptibly();
    }

    /** What has come, and what is to go. Belongs to the event loop, but for {@link #over}. */
    private static final class Messages extends ChannelInboundHandlerAdapter {
        private CompletableFuture<Void> over = new CompletableFuture<>();
        private @Nullable Channel channel;
        private @Nullable Laps times;
        private @Nullable Runnable answered;
        private int size;
        private int outgoing;
        private int incoming;
        private int sent;
        private int received;
        private int early;
        private long sentNs;
        private boolean pumping;

        void begin(Channel made, int bytes, int sends, int receives) {
            channel = made;
            size = bytes;
            outgoing = sends;
            incoming = receives;
            sent = 0;
            received = 0;
            early = 0;
            times = null;
            answered = null;
            over = new CompletableFuture<>();
        }

        private Channel channel() {
            Channel open = channel;
            if (open == null) {
                throw new IllegalStateException("no turn has begun");
            }
            return open;
        }

        private void write() {
            ByteBuf message = channel().alloc().directBuffer(size).writerIndex(size);
            Payload.write(size, sent, (offset, value) -> message.setLongLE(offset, value));
            sent++;
            Future<?> _ = channel().write(message, channel().voidPromise());
        }

        /** The next one, and its time. */
        void sendOne() {
            if (sent < outgoing) {
                sentNs = System.nanoTime();
                write();
                channel().flush();
            }
        }

        /** The next one, flushed with all others that are read at once. */
        void holdOne() {
            if (sent < outgoing) {
                write();
            }
        }

        /** Answers what came before anybody was there to answer. */
        void catchUp() {
            for (; early > 0; early--) {
                holdOne();
            }
            channel().flush();
            end();
        }

        void pump() {
            if (pumping) {
                return;
            }
            pumping = true;
            // A flush can make the channel writable again before anybody is told.
            while (sent < outgoing && channel().isWritable()) {
                for (int held = 0; held < BATCH && sent < outgoing && channel().isWritable(); held++) {
                    write();
                }
                channel().flush();
            }
            pumping = false;
            end();
        }

        private void end() {
            if (sent >= outgoing && received >= incoming) {
                over.complete(null);
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            ByteBuf message = (ByteBuf) read;
            Payload.length(size, message.readableBytes());
            int start = message.readerIndex();
            Payload.check(size, received, offset -> message.getLongLE(start + offset));
            message.release();
            received++;
            Laps timed = times;
            if (timed != null) {
                timed.record(System.nanoTime() - sentNs);
            }
            Runnable next = answered;
            if (next != null) {
                next.run();
            } else {
                early++;
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
            end();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            // Only a stream outruns its channel.
            if (incoming == 0 && context.channel().isWritable()) {
                pump();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            over.completeExceptionally(new IllegalStateException("the other process is gone"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            over.completeExceptionally(cause);
        }
    }
}
