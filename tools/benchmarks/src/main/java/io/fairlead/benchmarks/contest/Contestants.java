package io.fairlead.benchmarks.contest;

import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Perftest;
import io.fairlead.cli.measure.Side;
import io.fairlead.cli.measure.SideProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** What messages can be sent by, each as its own guide has it. */
public enum Contestants {
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

    static final List<Contestants> MEMORY =
            List.of(FAIRLEAD_SHM, FAIRLEAD_UCX, JUCX, FAIRLEAD_NETTY, AERON_IPC, AERON_IPC_SHARED);
    static final List<Contestants> SOCKETS =
            List.of(FAIRLEAD_TCP, RAW_NIO, NETTY_NIO, NETTY_EPOLL, NETTY_IO_URING, AERON_UDP, JEROMQ, NATS);

    private final String title;
    private final String settings;

    Contestants(String title, String settings) {
        this.title = title;
        this.settings = settings;
    }

    /** As tables have it. */
    public String title() {
        return title;
    }

    /** How it is set up. */
    public String settings() {
        return settings;
    }

    /** Whether the leading side is the one that listens. */
    public boolean leaderListens() {
        return this == PUBSUB_SHM || this == PUBSUB_TCP || this == JEROMQ_PUBSUB;
    }

    /** Threads that are busy while messages go, on both sides: with fewer processors, spinning ones would keep the others from running. */
    private int busyThreads() {
        return switch (this) {
            case AERON_UDP, JEROMQ, JEROMQ_PUBSUB -> 4;
            case NATS -> 5;
            default -> 2;
        };
    }

    /** Why it cannot idle in a way. */
    public Optional<String> cannot(Idle idle) {
        int processors = Runtime.getRuntime().availableProcessors();
        if (idle != Idle.SPIN) {
            return this == JUCX
                    ? Optional.of(
                            "cannot sleep: its wait ends with an event of UCX only, and not after a time; where others spin it takes part")
                    : Optional.empty();
        }
        return processors >= busyThreads()
                ? Optional.empty()
                : Optional.of("cannot spin: threads=" + busyThreads() + ", processors=" + processors
                        + "; where it sleeps it takes part");
    }

    /** Why it cannot run here, and what helps. */
    public Optional<String> unavailable() {
        return switch (this) {
            case FAIRLEAD_UCX, JUCX -> FairleadPeer.unavailable("ucx");
            case NETTY_EPOLL -> NettyTransport.EPOLL.unavailable();
            case NETTY_IO_URING -> NettyTransport.IO_URING.unavailable();
            case NATS ->
                NatsLink.program().isPresent()
                        ? Optional.empty()
                        : Optional.of("no program " + NatsLink.PACKAGE + " in the path; install the package "
                                + NatsLink.PACKAGE);
            default -> Optional.empty();
        };
    }

    /** Starts both processes; of publishers there may follow how many subscribers they have. */
    public Pair start(Idle idle, String... more) throws IOException {
        List<String> jvmOptions = new ArrayList<>(List.of("-Xmx1g", "-XX:MaxDirectMemorySize=3g"));
        if (this == AERON_IPC || this == AERON_IPC_SHARED || this == AERON_UDP) {
            jvmOptions.add("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
        }
        List<String> arguments = new ArrayList<>(List.of(name(), idle.name()));
        arguments.addAll(List.of(more));
        return Pair.start(new Pair.Ends(
                title,
                Contestants.class,
                jvmOptions,
                arguments,
                arguments,
                leaderListens(),
                isOfRequests() ? EnumSet.of(PerfTest.TAG_LAT) : EnumSet.allOf(PerfTest.class),
                SideProcess.LIMIT_S));
    }

    private boolean isOfRequests() {
        return this == NODE_SHM || this == NODE_TCP;
    }

    /** Raw JUCX with the tests of {@code fairlead perf}; atomics are what it lacks. */
    public static List<Pair.Ends> besidePerf(String lanes) {
        List<String> arguments = List.of(JUCX.name(), Idle.SPIN.name(), lanes);
        return List.of(new Pair.Ends(
                JUCX.title,
                Contestants.class,
                List.of(),
                arguments,
                arguments,
                false,
                EnumSet.complementOf(EnumSet.of(PerfTest.FADD)),
                Long.MAX_VALUE / 2_000_000_000));
    }

    /** A side in this process, as {@link io.fairlead.cli.measure.SideMain} opens it: its arguments are the contestant and how it idles. */
    static Side open(List<String> arguments, Optional<String> address)
            throws IOException, InterruptedException, TimeoutException {
        Idle idle = Idle.valueOf(arguments.get(1));
        String more = arguments.size() > 2 ? arguments.get(2) : "";
        int subscribers = more.matches("[0-9]+") ? Integer.parseInt(more) : 1;
        return switch (valueOf(arguments.getFirst())) {
            case FAIRLEAD_SHM -> new LinkSide(new FairleadLink(new FairleadPeer("auto", idle), address), idle);
            case FAIRLEAD_UCX -> new LinkSide(new FairleadLink(new FairleadPeer("ucx", idle), address), idle);
            case FAIRLEAD_TCP -> new LinkSide(new FairleadLink(new FairleadPeer("tcp-only", idle), address), idle);
            case NODE_SHM -> NodeRequests.OWN.open("auto", idle, address);
            case NODE_TCP -> NodeRequests.OWN.open("tcp-only", idle, address);
            case JUCX -> new JucxSide(new JucxLink(more.isEmpty() ? Perftest.LANES : more, address));
            case FAIRLEAD_NETTY -> new NettySide(NettyTransport.FAIRLEAD, idle, address);
            case AERON_IPC -> new LinkSide(new AeronLink(AeronLink.Kind.IPC_EXCLUSIVE, address), idle);
            case AERON_IPC_SHARED -> new LinkSide(new AeronLink(AeronLink.Kind.IPC_SHARED, address), idle);
            case AERON_UDP -> new LinkSide(new AeronLink(AeronLink.Kind.UDP, address), idle);
            case RAW_NIO -> new LinkSide(new NioLink(address), idle);
            case NETTY_NIO -> new NettySide(NettyTransport.NIO, idle, address);
            case NETTY_EPOLL -> new NettySide(NettyTransport.EPOLL, idle, address);
            case NETTY_IO_URING -> new NettySide(NettyTransport.IO_URING, idle, address);
            case JEROMQ -> new LinkSide(JeroMqLink.pair(address), idle);
            case NATS -> new LinkSide(NatsLink.open(address), idle);
            case PUBSUB_SHM -> new LinkSide(new PubSubLink(new FairleadPeer("auto", idle), subscribers, address), idle);
            case PUBSUB_TCP ->
                new LinkSide(new PubSubLink(new FairleadPeer("tcp-only", idle), subscribers, address), idle);
            case JEROMQ_PUBSUB -> new LinkSide(JeroMqLink.pubSub(address), idle);
        };
    }
}
