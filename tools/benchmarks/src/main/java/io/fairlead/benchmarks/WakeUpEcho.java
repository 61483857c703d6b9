package io.fairlead.benchmarks;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.Worker;
import io.fairlead.benchmarks.process.ProcessorTime;
import io.fairlead.cli.measure.FairleadPingPong;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;

/** The answering process of {@link WakeUp}: three threads that block until they are asked. Says what it took of the processor for each line that it reads. */
final class WakeUpEcho {
    private WakeUpEcho() {}

    /**
     * Answers until its input ends.
     *
     * @param args ports of the raw listener, of Fairlead over TCP, and of Fairlead over the best path
     */
    public static void main(String[] args) throws IOException {
        SocketChannel raw = RawPingPong.prepare(SocketChannel.open(address(args[0])));
        Thread.ofPlatform().daemon().name("bare-selector").start(() -> answer(raw));
        try (Arena arena = Arena.ofShared();
                Node tcp = node(PathPolicy.TCP_ONLY);
                Node best = node(PathPolicy.AUTO)) {
            answer(tcp.connect(address(args[1])).join(), arena.allocate(WakeUp.SIZE));
            answer(best.connect(address(args[2])).join(), arena.allocate(WakeUp.SIZE));
            for (int read = System.in.read(); read >= 0; read = System.in.read()) {
                System.out.println(ProcessorTime.ofThisProcessNs());
            }
        }
    }

    private static InetSocketAddress address(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }

    private static Node node(PathPolicy policy) {
        return Node.start(
                FairleadConfig.defaults().with(ConfigKeys.POLICY, policy).with(ConfigKeys.IDLE_STRATEGY, "blocking"));
    }

    /** Answers the next message, and all that follow, on the node's thread. */
    private static void answer(Peer peer, MemorySegment buffer) {
        // That the peer is gone is what ends it.
        CompletableFuture<Void> _ = peer.receiveInto(buffer, FairleadPingPong.TAG, Worker.FULL_TAG_MASK)
                .thenCompose(message -> peer.send(buffer, FairleadPingPong.TAG))
                .thenRun(() -> answer(peer, buffer));
    }

    /** The reference: nothing between the selector and the socket. */
    private static void answer(SocketChannel channel) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(WakeUp.SIZE);
        try (channel;
                Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_READ);
            while (true) {
                selector.select(key -> {});
                if (channel.read(buffer) < 0) {
                    return;
                }
                if (!buffer.hasRemaining()) {
                    channel.write(buffer.flip());
                    buffer.clear();
                }
            }
        } catch (IOException gone) {
            // The asking process is done.
        }
    }
}
