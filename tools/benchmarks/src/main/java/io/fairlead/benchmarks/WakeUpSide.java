package io.fairlead.benchmarks;

import io.fairlead.FairleadConfig;
import io.fairlead.Worker;
import io.fairlead.benchmarks.contest.FairleadLink;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.contest.Idle;
import io.fairlead.benchmarks.contest.LinkSide;
import io.fairlead.benchmarks.contest.NioLink;
import io.fairlead.cli.measure.Side;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * All contestants of {@code bench wake-up} in one process. The leading one listens and spins: a bare channel, and a worker over TCP and one over the best
 * path. In the following one three threads block until they are asked: in a bare selector, and in nodes with {@code idle.strategy=blocking}.
 */
final class WakeUpSide implements Side {
    static final String BARE = "bare";
    static final String TCP = "tcp";
    static final String BEST = "best";
    static final int SIZE = 8;

    private static final long TAG = 1;
    /** Between two looks while nobody is asked anything: seldom, because it is the other process's rest that is measured. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Map<String, LinkSide> asking = new LinkedHashMap<>();
    private final List<FairleadPeer> peers = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Arena arena = Arena.ofShared();
    private String address = "";

    WakeUpSide(List<String> arguments, Optional<String> listening) throws IOException {
        if (listening.isPresent()) {
            String[] ports = listening.get().split(" ", -1);
            SocketChannel bare = SocketChannel.open(FairleadPeer.loopback(Integer.parseInt(ports[0])));
            bare.setOption(StandardSocketOptions.TCP_NODELAY, true);
            bare.configureBlocking(false);
            Thread.ofPlatform().daemon().name("bare-selector").start(() -> answer(bare));
            answer("tcp-only", ports[1]);
            address = answer("auto", ports[2]).path().transport();
        } else {
            asking.put(BARE, new LinkSide(new NioLink(Optional.empty()), Idle.SPIN));
            ask(TCP, "tcp-only");
            ask(BEST, "auto");
            address = asking.values().stream().map(LinkSide::address).collect(Collectors.joining(" "));
        }
    }

    /** What an idle node takes has the checks of its peers in it. */
    private static FairleadConfig config(String policy, Idle idle) {
        return FairleadPeer.config(policy, idle)
                .with(ConfigKeys.LIVENESS_TIMEOUT, ConfigKeys.LIVENESS_TIMEOUT.defaultValue());
    }

    private void ask(String name, String policy) {
        FairleadPeer peer = new FairleadPeer(config(policy, Idle.SPIN));
        peers.add(peer);
        asking.put(name, new LinkSide(new FairleadLink(peer, Optional.empty()), Idle.SPIN));
    }

    /** The ports, or the transport of the best path. */
    @Override
    public String address() {
        return address;
    }

    @Override
    public void awaitPeer() {
        asking.values().forEach(LinkSide::awaitPeer);
    }

    private Peer answer(String policy, String port) {
        Node node = Node.start(config(policy, Idle.BLOCK));
        nodes.add(node);
        Peer peer = node.connect(FairleadPeer.loopback(Integer.parseInt(port))).join();
        answer(peer, arena.allocate(SIZE));
        return peer;
    }

    /** Answers the next message, and all that follow, on the node's thread. */
    private static void answer(Peer peer, MemorySegment buffer) {
        // That the peer is gone is what ends it.
        CompletableFuture<Void> _ = peer.receiveInto(buffer, TAG, Worker.FULL_TAG_MASK)
                .thenCompose(message -> peer.send(buffer, TAG))
                .thenRun(() -> answer(peer, buffer));
    }

    /** Nothing between the selector and the socket. */
    private static void answer(SocketChannel channel) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(SIZE);
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
            // The asking process has ended.
        }
    }

    /** The following side answers by itself. */
    @Override
    public String turn(String line, Runnable begun) {
        String[] words = line.split(" ", 2);
        LinkSide side = asking.get(words[0]);
        if (side == null) {
            begun.run();
            return "0 0 0 0 0 0 0 0 0";
        }
        return side.turn(words[1], begun);
    }

    @Override
    public void rest() {
        if (peers.isEmpty()) {
            Side.super.rest();
            return;
        }
        peers.forEach(peer -> peer.worker().progress());
        LockSupport.parkNanos(LOOK_NS);
    }

    @Override
    public void close() {
        asking.values().forEach(LinkSide::close);
        nodes.forEach(Node::close);
        arena.close();
    }
}
