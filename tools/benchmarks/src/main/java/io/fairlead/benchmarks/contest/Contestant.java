package io.fairlead.benchmarks.contest;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** What messages can be sent by, each as its own guide has it. */
enum Contestant {
    FAIRLEAD_SHM("fairlead-shm", "worker API over shared memory"),
    FAIRLEAD_UCX("fairlead-ucx", "worker API over UCX's shared memory"),
    FAIRLEAD_TCP("fairlead-tcp", "worker API over TCP"),
    NODE_SHM("node-shm", "requests of nodes over shared memory, one progress thread on either side"),
    NODE_TCP("node-tcp", "requests of nodes over TCP, one progress thread on either side"),
    JUCX("jucx", "tagged messages over UCX's shared memory, a callback for each place of the window"),
    FAIRLEAD_NETTY("fairlead-netty", "Netty over Fairlead's channels, shared memory"),
    AERON_IPC("aeron-ipc", "exclusive publications, tryClaim; media driver with one thread (SHARED)"),
    AERON_IPC_SHARED("aeron-ipc-shared", "shared publications, tryClaim; media driver with one thread (SHARED)"),
    AERON_UDP(
            "aeron-udp",
            "exclusive publications over loopback; a media driver with one thread (SHARED) on either side"),
    RAW_NIO(
            "raw-nio",
            "SocketChannel, TCP_NODELAY, direct buffers, streams gathered by 64 KiB; a selector when blocking"),
    NETTY_NIO(
            "netty-nio",
            "one event loop on either side, TCP_NODELAY, streams flushed every 64; selectNow when spinning"),
    NETTY_EPOLL("netty-epoll", "the same over epoll; BUSY_WAIT when spinning"),
    NETTY_IO_URING("netty-io_uring", "the same over io_uring, which always waits in the kernel"),
    JEROMQ("jeromq", "a PAIR of sockets over TCP, one I/O thread on either side"),
    NATS("nats", "core NATS through nats-server; a receiver always blocks"),
    PUBSUB_SHM("fairlead-shm", "publisher and subscriber over shared memory, SlowPolicy.BLOCK"),
    PUBSUB_TCP("fairlead-tcp", "publisher and subscriber over TCP, SlowPolicy.BLOCK"),
    JEROMQ_PUBSUB("jeromq", "XPUB and SUB over TCP, XPUB_NODROP");

    static final List<Contestant> MEMORY =
            List.of(FAIRLEAD_SHM, FAIRLEAD_UCX, JUCX, FAIRLEAD_NETTY, AERON_IPC, AERON_IPC_SHARED);
    static final List<Contestant> SOCKETS =
            List.of(FAIRLEAD_TCP, RAW_NIO, NETTY_NIO, NETTY_EPOLL, NETTY_IO_URING, AERON_UDP, JEROMQ, NATS);

    private final String title;
    private final String settings;

    Contestant(String title, String settings) {
        this.title = title;
        this.settings = settings;
    }

    /** As tables have it. */
    String title() {
        return title;
    }

    /** How it is set up. */
    String settings() {
        return settings;
    }

    /** Whether the side that asks or streams is the one that listens. */
    boolean leaderListens() {
        return this == PUBSUB_SHM || this == PUBSUB_TCP || this == JEROMQ_PUBSUB;
    }

    /** What its processes' JVM is to be told. */
    List<String> jvmOptions() {
        return switch (this) {
            case AERON_IPC, AERON_IPC_SHARED, AERON_UDP ->
                List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
            default -> List.of();
        };
    }

    /** Threads that are busy while messages go, on both sides: with fewer processors, spinning ones would keep the others from running. */
    private int busyThreads() {
        return switch (this) {
            case AERON_UDP, JEROMQ, JEROMQ_PUBSUB -> 4;
            case NATS -> 5;
            default -> 2;
        };
    }

    /** Why its threads cannot spin here. */
    private Optional<String> cannotSpin() {
        int processors = Runtime.getRuntime().availableProcessors();
        return processors >= busyThreads()
                ? Optional.empty()
                : Optional.of("cannot spin: threads=" + busyThreads() + ", processors=" + processors
                        + "; where it sleeps it takes part");
    }

    /** Why its threads cannot sleep. */
    private Optional<String> cannotBlock() {
        return this == JUCX
                ? Optional.of(
                        "cannot sleep: its wait ends with an event of UCX only, and not after a time; where others spin it takes part")
                : Optional.empty();
    }

    /** Why it cannot idle in a way. */
    Optional<String> cannot(Idle idle) {
        return idle == Idle.SPIN ? cannotSpin() : cannotBlock();
    }

    /** Why it cannot run here, and what helps. */
    Optional<String> unavailable() {
        return switch (this) {
            case FAIRLEAD_UCX, JUCX -> FairleadPeer.unavailable("ucx");
            case NETTY_EPOLL -> NettyTransport.EPOLL.unavailable();
            case NETTY_IO_URING -> NettyTransport.IO_URING.unavailable();
            case NATS ->
                NatsServer.find().isPresent()
                        ? Optional.empty()
                        : Optional.of("no program " + NatsServer.PACKAGE + " in the path; install the package "
                                + NatsServer.PACKAGE);
            default -> Optional.empty();
        };
    }

    static Contestant of(String name) {
        return Arrays.stream(values())
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such contestant: name=" + name));
    }

    /** Waits for the other side. */
    Side listen(Idle idle, Address address) throws IOException, InterruptedException, TimeoutException {
        return switch (this) {
            case FAIRLEAD_SHM -> new LinkSide(new FairleadPeer("auto").listen(address), idle);
            case FAIRLEAD_UCX -> new LinkSide(new FairleadPeer("ucx").listen(address), idle);
            case FAIRLEAD_TCP -> new LinkSide(new FairleadPeer("tcp-only").listen(address), idle);
            case NODE_SHM -> NodeSide.listen("auto", idle, address);
            case NODE_TCP -> NodeSide.listen("tcp-only", idle, address);
            case JUCX -> new LinkSide(JucxLink.listen(address), idle);
            case FAIRLEAD_NETTY -> NettySide.listen(NettyTransport.FAIRLEAD, idle, address);
            case AERON_IPC -> new LinkSide(AeronLink.listen(AeronLink.Kind.IPC_EXCLUSIVE, address), idle);
            case AERON_IPC_SHARED -> new LinkSide(AeronLink.listen(AeronLink.Kind.IPC_SHARED, address), idle);
            case AERON_UDP -> new LinkSide(AeronLink.listen(AeronLink.Kind.UDP, address), idle);
            case RAW_NIO -> new LinkSide(NioLink.listen(address), idle);
            case NETTY_NIO -> NettySide.listen(NettyTransport.NIO, idle, address);
            case NETTY_EPOLL -> NettySide.listen(NettyTransport.EPOLL, idle, address);
            case NETTY_IO_URING -> NettySide.listen(NettyTransport.IO_URING, idle, address);
            case JEROMQ -> new LinkSide(JeroMqLink.listen(address), idle);
            case NATS -> new LinkSide(NatsLink.listen(address), idle);
            case PUBSUB_SHM -> new LinkSide(PubSubLink.publish(new FairleadPeer("auto"), address), idle);
            case PUBSUB_TCP -> new LinkSide(PubSubLink.publish(new FairleadPeer("tcp-only"), address), idle);
            case JEROMQ_PUBSUB -> new LinkSide(JeroMqLink.publish(address), idle);
        };
    }

    /** Connects to the other side. */
    Side connect(Idle idle, String address) throws IOException, InterruptedException, TimeoutException {
        return switch (this) {
            case FAIRLEAD_SHM -> new LinkSide(new FairleadPeer("auto").connect(port(address)), idle);
            case FAIRLEAD_UCX -> new LinkSide(new FairleadPeer("ucx").connect(port(address)), idle);
            case FAIRLEAD_TCP -> new LinkSide(new FairleadPeer("tcp-only").connect(port(address)), idle);
            case NODE_SHM -> NodeSide.connect("auto", idle, port(address));
            case NODE_TCP -> NodeSide.connect("tcp-only", idle, port(address));
            case JUCX -> new LinkSide(JucxLink.connect(address), idle);
            case FAIRLEAD_NETTY -> NettySide.connect(NettyTransport.FAIRLEAD, idle, port(address));
            case AERON_IPC -> new LinkSide(AeronLink.connect(AeronLink.Kind.IPC_EXCLUSIVE, address), idle);
            case AERON_IPC_SHARED -> new LinkSide(AeronLink.connect(AeronLink.Kind.IPC_SHARED, address), idle);
            case AERON_UDP -> new LinkSide(AeronLink.connect(AeronLink.Kind.UDP, address), idle);
            case RAW_NIO -> new LinkSide(NioLink.connect(port(address)), idle);
            case NETTY_NIO -> NettySide.connect(NettyTransport.NIO, idle, port(address));
            case NETTY_EPOLL -> NettySide.connect(NettyTransport.EPOLL, idle, port(address));
            case NETTY_IO_URING -> NettySide.connect(NettyTransport.IO_URING, idle, port(address));
            case JEROMQ -> new LinkSide(JeroMqLink.connect(port(address)), idle);
            case NATS -> new LinkSide(NatsLink.connect(address), idle);
            case PUBSUB_SHM -> new LinkSide(PubSubLink.subscribe(new FairleadPeer("auto"), port(address)), idle);
            case PUBSUB_TCP -> new LinkSide(PubSubLink.subscribe(new FairleadPeer("tcp-only"), port(address)), idle);
            case JEROMQ_PUBSUB -> new LinkSide(JeroMqLink.subscribe(port(address)), idle);
        };
    }

    private static int port(String address) {
        return Integer.parseInt(address);
    }
}
