package io.fairlead.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.testkit.ChosenTransports;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two workers and between them a network that changes a bit now and then. */
@Timeout(120)
class DamagedBytesTest {
    private static final int ROUNDS = 10;
    private static final int MESSAGES = 60;
    private static final int LENGTH_MAX = 200_000;
    private static final long DEADLINE_NS = Duration.ofSeconds(60).toNanos();

    private final Random random = new Random(3);
    private final List<Endpoint> accepted = new ArrayList<>();
    private int received;
    private int wrong;
    private int violations;

    @Test
    void shouldNeverTellAChangedByteAsOk() throws IOException {
        // One side asks, which is enough; each does in turn.
        for (int round = 0; round < ROUNDS; round++) {
            round(round % 2 == 0 ? "on" : "off", round % 2 == 0 ? "off" : "on");
        }
        assertTrue(received > 0, "nothing was received");
        assertEquals(0, wrong, "messages with a changed byte that were told as OK");
        assertEquals(ROUNDS, violations, "rounds in which the damage was told as such");
    }

    private void round(String here, String there) throws IOException {
        accepted.clear();
        try (Arena arena = Arena.ofShared();
                Context left = open(here);
                Context right = open(there);
                Worker sender = left.newWorker();
                Worker receiver = right.newWorker();
                Network network = new Network(
                        receiver.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new Accepting())
                                .address())) {
            Endpoint endpoint = sender.connect(network.address(), EndpointHandler.NONE);
            BooleanSupplier step = () -> {
                sender.progress();
                receiver.progress();
                return network.pass();
            };
            until(step, () -> endpoint.state() == EndpointState.CONNECTED && !accepted.isEmpty());
            network.damageAfter(random.nextInt(2_000_000));
            int[] outstanding = {0};
            boolean[] failed = {false};
            for (int i = 0; i < MESSAGES && !failed[0]; i++) {
                int length = random.nextInt(4) == 0 ? random.nextInt(LENGTH_MAX) : random.nextInt(2_000);
                byte[] content = new byte[length];
                random.nextBytes(content);
                MemorySegment source = arena.allocate(Math.max(length, 1));
                MemorySegment.copy(MemorySegment.ofArray(content), 0, source, 0, length);
                MemorySegment target = arena.allocate(LENGTH_MAX);
                outstanding[0] = 2;
                Completion ended = request -> {
                    outstanding[0]--;
                    failed[0] |= request.status() != Status.OK;
                };
                Completion arrived = request -> {
                    ended.completed(request);
                    if (request.status() == Status.OK) {
                        received++;
                        if (request.length() != length
                                || MemorySegment.ofArray(content).mismatch(target.asSlice(0, length)) >= 0) {
                            wrong++;
                        }
                    }
                };
                assertTrue(accepted.getFirst().receive(target, 0, LENGTH_MAX, i, Worker.FULL_TAG_MASK, arrived, 0) > 0);
                assertTrue(endpoint.send(source, 0, length, i, ended, 0) > 0);
                until(step, () -> outstanding[0] == 0);
            }
            // Where nothing has been changed yet, one more message is.
            network.damageAfter(0);
            if (endpoint.state() == EndpointState.CONNECTED) {
                assertTrue(endpoint.send(arena.allocate(8), 0, 8, MESSAGES, _ -> {}, 0) > 0);
            }
            until(
                    step,
                    () -> endpoint.state() == EndpointState.FAILED
                            && accepted.getFirst().state() == EndpointState.FAILED);
            if (isViolation(endpoint) || isViolation(accepted.getFirst())) {
                violations++;
            }
        }
    }

    private static boolean isViolation(Endpoint endpoint) {
        return endpoint.failure().orElseThrow().reason() == Reason.PROTOCOL_VIOLATION;
    }

    private static void until(BooleanSupplier step, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (!step.getAsBoolean()) {
                Thread.yield();
            }
            assertTrue(System.nanoTime() - start < DEADLINE_NS, "waited 60 s");
        }
    }

    private static Context open(String checksum) {
        FairleadConfig config = FairleadConfig.defaults().with(TcpProvider.CHECKSUM, checksum);
        return ChosenTransports.with(List.of(new TcpProvider()), () -> Context.open(config));
    }

    private final class Accepting implements EndpointHandler {
        @Override
        public void connected(Endpoint endpoint) {
            accepted.add(endpoint);
        }
    }

    /** Passes bytes on, both ways, and changes one bit after so many. */
    private final class Network implements AutoCloseable {
        private final ServerSocketChannel server;
        private final InetSocketAddress target;
        private final ByteBuffer[] buffers = {ByteBuffer.allocate(50_000), ByteBuffer.allocate(50_000)};
        private final SocketChannel[] ends = new SocketChannel[2];
        private long damageIn = Long.MAX_VALUE;

        Network(InetSocketAddress target) throws IOException {
            this.target = target;
            server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            server.configureBlocking(false);
        }

        InetSocketAddress address() {
            return new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), server.socket().getLocalPort());
        }

        void damageAfter(long bytes) {
            damageIn = Math.min(damageIn, bytes);
        }

        /** One step; false if there was nothing to do. */
        boolean pass() {
            try {
                if (ends[0] == null) {
                    SocketChannel connector = server.accept();
                    if (connector == null) {
                        return false;
                    }
                    ends[0] = connector;
                    ends[1] = SocketChannel.open(target);
                    for (SocketChannel end : ends) {
                        end.configureBlocking(false);
                    }
                }
                boolean passed = pass(0);
                return pass(1) || passed;
            } catch (IOException reset) {
                close();
                return false;
            }
        }

        private boolean pass(int from) throws IOException {
            ByteBuffer buffer = buffers[from];
            int before = buffer.position();
            if (!ends[from].isOpen()) {
                return false;
            }
            int count = ends[from].read(buffer);
            if (count < 0) {
                ends[1 - from].shutdownOutput();
                return false;
            }
            if (count > damageIn) {
                buffer.put(
                        before + (int) damageIn, (byte) (buffer.get(before + (int) damageIn) ^ 1 << random.nextInt(8)));
                damageIn = Long.MAX_VALUE;
            } else if (damageIn != Long.MAX_VALUE) {
                damageIn -= count;
            }
            buffer.flip();
            int written = ends[1 - from].write(buffer);
            buffer.compact();
            return count + written > 0;
        }

        @Override
        public void close() {
            try {
                server.close();
                for (SocketChannel end : ends) {
                    if (end != null) {
                        end.close();
                    }
                }
            } catch (IOException failure) {
                throw new IllegalStateException(failure);
            }
        }
    }
}
