package io.fairlead.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(Leaks.class)
class StreamTest {
    /** Notes what its channel tells it, and gives the bytes up. */
    private static final class Watch extends ChannelInboundHandlerAdapter {
        final BlockingQueue<Object> told = new LinkedBlockingQueue<>();
        final CompletableFuture<Channel> active = new CompletableFuture<>();
        final AtomicLong bytes = new AtomicLong();

        @Override
        public void channelActive(ChannelHandlerContext context) {
            active.complete(context.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            bytes.addAndGet(buffer.readableBytes());
            buffer.release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            told.add(event);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            told.add(context.channel().isWritable());
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            told.add("inactive");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            told.add(cause);
        }

        Object next() throws InterruptedException {
            Object next = told.poll(Loops.DEADLINE_S, TimeUnit.SECONDS);
            return next == null ? "nothing within the deadline" : next;
        }

        /** The next one that is not of writability. */
        Object nextEvent() throws InterruptedException {
            Object next = next();
            return next instanceof Boolean ? nextEvent() : next;
        }

        Channel channel() throws Exception {
            return active.get(Loops.DEADLINE_S, TimeUnit.SECONDS);
        }
    }

    private static ByteBuf bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return Unpooled.wrappedBuffer(bytes);
    }

    private static void until(java.util.function.BooleanSupplier condition, String what) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(Loops.DEADLINE_S);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadlineNs, what);
            Thread.yield();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldCloseEachDirectionByItself(Lane lane) throws Exception {
        try (Loops loops = new Loops(lane)) {
            Watch child = new Watch();
            Watch parent = new Watch();
            var server = Loops.bind(loops.server().childOption(ChannelOption.ALLOW_HALF_CLOSURE, true), () -> child);
            var client =
                    Loops.connect(loops.client().option(ChannelOption.ALLOW_HALF_CLOSURE, true), server, () -> parent);
            client.writeAndFlush(bytes(100_000));
            Loops.done(client.shutdownOutput(), "shutdown of the output");
            assertTrue(client.isOutputShutdown() && !client.isInputShutdown() && client.isActive());
            assertEquals(ChannelInputShutdownEvent.INSTANCE, child.nextEvent());
            assertEquals(ChannelInputShutdownReadComplete.INSTANCE, child.nextEvent());
            assertEquals(100_000, child.bytes.get());
            // The other direction goes on, however much it carries.
            Loops.done(child.channel().writeAndFlush(bytes(200_000)), "write after the peer's half-close");
            until(() -> parent.bytes.get() == 200_000, "the bytes of the other direction");
            Loops.done(((FairleadSocketChannel) child.channel()).shutdownOutput(), "shutdown of the other output");
            assertEquals(io.netty.channel.socket.ChannelOutputShutdownEvent.INSTANCE, parent.nextEvent());
            assertEquals(ChannelInputShutdownEvent.INSTANCE, parent.nextEvent());
            ChannelFuture refused = Loops.ended(client.writeAndFlush(bytes(1)), "write on the closed output");
            assertInstanceOf(IOException.class, refused.cause());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldBecomeUnwritableWhileThePeerDoesNotRead(Lane lane) throws Exception {
        try (Loops loops = new Loops(lane)) {
            Watch child = new Watch();
            Watch parent = new Watch();
            var server = Loops.bind(loops.server().childOption(ChannelOption.AUTO_READ, false), () -> child);
            var client = loops.connect(server, () -> parent);
            List<ChannelFuture> writes = new ArrayList<>();
            long written = 0;
            while (client.isWritable()) {
                assertTrue(written < 64 << 20, "bytes without back-pressure: " + written);
                writes.add(client.writeAndFlush(bytes(32 << 10)));
                written += 32 << 10;
                Loops.ended(client.eventLoop().submit(() -> {}), "a task of the loop");
            }
            assertEquals(false, parent.next());
            assertFalse(writes.getLast().isDone());
            assertEquals(0, child.bytes.get());
            child.channel().config().setAutoRead(true);
            for (ChannelFuture write : writes) {
                Loops.done(write, "write");
            }
            long all = written;
            until(() -> child.bytes.get() == all, "all bytes");
            until(client::isWritable, "room");
            Object told = parent.next();
            while (Boolean.FALSE.equals(told)) {
                // A write from another thread is counted twice, and what it changes is told later, as it is by then.
                told = parent.next();
            }
            assertEquals(true, told);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadOnlyWhatItIsAskedFor(Lane lane) throws Exception {
        try (Loops loops = new Loops(lane)) {
            Watch child = new Watch();
            var server = Loops.bind(
                    loops.server()
                            .childOption(ChannelOption.AUTO_READ, false)
                            .childOption(
                                    ChannelOption.RECVBUF_ALLOCATOR,
                                    new io.netty.channel.FixedRecvByteBufAllocator(10)),
                    () -> child);
            var client = loops.connect(server, ChannelInboundHandlerAdapter::new);
            Loops.done(client.writeAndFlush(bytes(25)), "write");
            Channel accepted = child.channel();
            for (long wanted : new long[] {10, 20, 25}) {
                accepted.read();
                until(() -> child.bytes.get() >= wanted, "the bytes of one read");
                Loops.done(accepted.eventLoop().submit(() -> {}), "a task of the loop");
                assertEquals(wanted, child.bytes.get());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldSendRegionsOfFiles(Lane lane, @TempDir Path folder) throws Exception {
        byte[] content = new byte[300_001];
        new Random(1).nextBytes(content);
        Path file = Files.write(folder.resolve("region"), content);
        try (Loops loops = new Loops(lane)) {
            EchoTest.Collect collect = new EchoTest.Collect(10 + 200_000 + 20);
            var server = loops.bind(() -> collect);
            var client = loops.connect(server, ChannelInboundHandlerAdapter::new);
            client.write(Unpooled.wrappedBuffer(content, 0, 10));
            client.write(new DefaultFileRegion(file.toFile(), 50_000, 200_000));
            Loops.done(client.writeAndFlush(Unpooled.wrappedBuffer(content, 10, 20)), "write");
            byte[] got = collect.all.get(Loops.DEADLINE_S, TimeUnit.SECONDS);
            assertTrue(Arrays.equals(content, 0, 10, got, 0, 10));
            assertTrue(Arrays.equals(content, 50_000, 250_000, got, 10, 200_010));
            assertTrue(Arrays.equals(content, 10, 30, got, 200_010, 200_030));
            ChannelFuture tooLong =
                    Loops.ended(client.writeAndFlush(new DefaultFileRegion(file.toFile(), 300_000, 2)), "short file");
            assertInstanceOf(IOException.class, tooLong.cause());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldDeliverWhatWasWrittenBeforeAClose(Lane lane) throws Exception {
        try (Loops loops = new Loops(lane)) {
            Watch child = new Watch();
            var server = loops.bind(() -> child);
            var client = loops.connect(server, ChannelInboundHandlerAdapter::new);
            child.channel();
            List<ChannelFuture> writes = new ArrayList<>();
            client.eventLoop().execute(() -> {
                for (int i = 0; i < 500; i++) {
                    writes.add(client.writeAndFlush(bytes(100)));
                }
                client.close();
            });
            Loops.done(client.closeFuture(), "close");
            assertEquals("inactive", child.next());
            assertEquals(500 * 100, child.bytes.get());
            for (ChannelFuture write : writes) {
                Loops.done(write, "write before the close");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldCloseUnderLoad(Lane lane) throws Exception {
        try (Loops loops = new Loops(lane)) {
            var server = loops.bind(EchoTest.Echo::new);
            for (int round = 0; round < 20; round++) {
                Watch watch = new Watch();
                var client = loops.connect(server, () -> watch);
                for (int i = 0; i < 50; i++) {
                    client.writeAndFlush(bytes(20_000));
                }
                long some = round * 10_000L;
                until(() -> watch.bytes.get() >= some, "echoes");
                Loops.done(client.close(), "close");
                assertFalse(client.isOpen());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldResetThePeerWithoutLingering(Lane lane) throws Exception {
        try (Loops loops = new Loops(lane)) {
            Watch child = new Watch();
            var server = loops.bind(() -> child);
            var client = Loops.connect(
                    loops.client().option(ChannelOption.SO_LINGER, 0), server, ChannelInboundHandlerAdapter::new);
            child.channel();
            Loops.done(client.close(), "close");
            Object told = child.next();
            assertTrue(assertInstanceOf(IOException.class, told).getMessage().contains("reset"), told::toString);
            assertEquals("inactive", child.next());
        }
    }
}
