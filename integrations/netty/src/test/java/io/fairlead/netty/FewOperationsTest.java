package io.fairlead.netty;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A worker with as few operations as it can be given, for many channels. */
@ExtendWith(Leaks.class)
class FewOperationsTest {
    private static final int CHANNELS = 24;
    private static final int LENGTH = 1 << 20;

    @ParameterizedTest
    @EnumSource
    void shouldServeAllChannelsOfALoop(Lane lane) throws Exception {
        serve(lane.config().with(ConfigKeys.OPERATIONS_MAX, 16), LENGTH);
    }

    @ParameterizedTest
    @EnumSource
    void shouldServeThemWherePayloadsWaitForTheirReceives(Lane lane) throws Exception {
        serve(lane.config().with(ConfigKeys.OPERATIONS_MAX, 16).with(ConfigKeys.EAGER_MAX, 0), LENGTH / 16);
    }

    private static void serve(FairleadConfig config, int length) throws Exception {
        try (Loops loops = new Loops(config)) {
            var server = loops.bind(EchoTest.Echo::new);
            List<EchoTest.Collect> collected = new ArrayList<>();
            List<FairleadSocketChannel> clients = new ArrayList<>();
            for (int i = 0; i < CHANNELS; i++) {
                EchoTest.Collect collect = new EchoTest.Collect(length);
                collected.add(collect);
                clients.add(loops.connect(server, () -> collect));
            }
            for (int i = 0; i < CHANNELS; i++) {
                clients.get(i).writeAndFlush(Unpooled.wrappedBuffer(bytes(i, length)));
            }
            for (int i = 0; i < CHANNELS; i++) {
                assertArrayEquals(
                        bytes(i, length), collected.get(i).all.get(Loops.DEADLINE_S, TimeUnit.SECONDS), "channel " + i);
            }
            for (FairleadSocketChannel client : clients) {
                Loops.done(client.close(), "close");
            }
        }
    }

    private static byte[] bytes(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
