package io.fairlead.netty;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Buffers of every kind and length in one stream: those that are copied, and those that are sent as they are. */
@ExtendWith(Leaks.class)
class WrittenBuffersTest {
    private static final ByteBufAllocator ALLOCATOR = ByteBufAllocator.DEFAULT;

    /** Both sides of each limit: of what is copied, of the copies of a message, and of a message. */
    private static final int[] LENGTHS = {0, 1, 9, 4_095, 4_096, 4_097, 16_384, 65_535, 65_536, 70_000};

    private enum Kind {
        DIRECT,
        HEAP,
        COMPOSITE,
        SLICE;

        ByteBuf of(byte[] bytes) {
            return switch (this) {
                case DIRECT -> ALLOCATOR.directBuffer(Math.max(1, bytes.length)).writeBytes(bytes);
                case HEAP -> ALLOCATOR.heapBuffer(Math.max(1, bytes.length)).writeBytes(bytes);
                case COMPOSITE -> composite(bytes);
                case SLICE -> {
                    ByteBuf around = ALLOCATOR.directBuffer(bytes.length + 2);
                    around.writeByte(1).writeBytes(bytes).writeByte(2);
                    yield around.slice(1, bytes.length);
                }
            };
        }

        private static CompositeByteBuf composite(byte[] bytes) {
            int half = bytes.length / 2;
            CompositeByteBuf composite = ALLOCATOR.compositeBuffer();
            composite.addComponent(true, DIRECT.of(Arrays.copyOf(bytes, half)));
            return composite.addComponent(true, HEAP.of(Arrays.copyOfRange(bytes, half, bytes.length)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldSendBuffersOfEveryKindInOrder(Lane lane) throws Exception {
        Random random = new Random(7);
        ByteBuf expected = Unpooled.buffer();
        try (Loops loops = new Loops(lane)) {
            byte[][] writes = new byte[600][];
            int total = 0;
            for (int i = 0; i < writes.length; i++) {
                // Mostly short ones, as those of gRPC.
                writes[i] = new byte[i % 8 == 0 ? LENGTHS[random.nextInt(LENGTHS.length)] : random.nextInt(200)];
                random.nextBytes(writes[i]);
                total += writes[i].length;
                expected.writeBytes(writes[i]);
            }
            EchoTest.Collect collect = new EchoTest.Collect(total);
            var server = loops.bind(() -> collect);
            var client = loops.connect(server, ChannelInboundHandlerAdapter::new);
            for (int i = 0; i < writes.length; i++) {
                client.write(Kind.values()[random.nextInt(Kind.values().length)].of(writes[i]));
                if (i % 50 == 49) {
                    client.flush();
                }
            }
            Loops.done(client.writeAndFlush(Unpooled.EMPTY_BUFFER), "the last write");
            byte[] got = collect.all.get(Loops.DEADLINE_S, TimeUnit.SECONDS);
            assertArrayEquals(Arrays.copyOf(expected.array(), expected.readableBytes()), got);
        }
    }
}
