package io.fairlead.benchmarks;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.benchmarks.contest.FairleadLink;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.contest.Idle;
import io.fairlead.benchmarks.contest.LinkSide;
import io.fairlead.cli.measure.Side;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.security.SecurityKeys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * One side of a connection with security or without: messages, and connections that are made and closed again. Its arguments are the contestant, then
 * keys and values of its security.
 */
final class TlsSide implements Side {
    /** Begins a turn that makes connections; behind it, who leads and how many. */
    static final String CONNECT = "connect ";

    private static final long TAG = 2;

    /** A way of connecting two processes. */
    enum Way {
        TCP("tcp", "tcp-only", ""),
        TCP_JDK("tcp, TLS by jdk", "tcp-only", "jdk"),
        TCP_CONSCRYPT("tcp, TLS by conscrypt", "tcp-only", "conscrypt"),
        SHM("shm", "shm", ""),
        SHM_JDK("shm, encrypted", "shm", "jdk"),
        UCX("ucx", "ucx", ""),
        UCX_JDK("ucx, encrypted", "ucx", "jdk");

        private final String label;
        private final String policy;
        private final String engine;

        Way(String label, String policy, String engine) {
            this.label = label;
            this.policy = policy;
            this.engine = engine;
        }

        String label() {
            return label;
        }

        /** The same transport without security. */
        Way plain() {
            return Arrays.stream(values())
                    .filter(way -> way.policy.equals(policy))
                    .findFirst()
                    .orElseThrow();
        }

        private FairleadConfig config(List<String> security) {
            FairleadConfig config = FairleadPeer.config(policy, Idle.SPIN);
            if (engine.isEmpty()) {
                return config;
            }
            for (int i = 0; i < security.size(); i += 2) {
                String name = security.get(i);
                ConfigKey<?> key = Stream.concat(SecurityKeys.all().stream(), Stream.of(ConfigKeys.SECURITY_MODE))
                        .filter(known -> known.name().equals(name))
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException("no such key: key=" + name));
                config = with(config, key, security.get(i + 1));
            }
            return config.with(SecurityKeys.ENGINE, engine);
        }

        private static <T> FairleadConfig with(FairleadConfig config, ConfigKey<T> key, String text) {
            return config.with(key, key.parse(text));
        }
    }

    private final FairleadPeer peer;
    private final LinkSide messages;
    private final int port;

    TlsSide(List<String> arguments, Optional<String> address) {
        peer = new FairleadPeer(Way.valueOf(arguments.getFirst()).config(arguments.subList(1, arguments.size())));
        messages = new LinkSide(new FairleadLink(peer, address), Idle.SPIN);
        port = Integer.parseInt(address.orElse("0"));
    }

    @Override
    public String address() {
        return messages.address();
    }

    @Override
    public void awaitPeer() {
        messages.awaitPeer();
    }

    @Override
    public String turn(String line, Runnable begun) {
        if (!line.startsWith(CONNECT)) {
            return messages.turn(line, begun);
        }
        String[] words = line.split(" ", -1);
        int count = Integer.parseInt(words[2]);
        begun.run();
        return words[1].equals("lead") ? connect(count) : accept(count);
    }

    /** The median time of a connection, in nanoseconds. A listener that has not accepted one when it is closed never does: so the other side sends first. */
    private String connect(int count) {
        long[] times = new long[count];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment greeting = arena.allocate(1);
            for (int i = 0; i < count; i++) {
                long startNs = System.nanoTime();
                Endpoint endpoint = peer.connect(port);
                times[i] = System.nanoTime() - startNs;
                AtomicBoolean received = new AtomicBoolean();
                FairleadPeer.taken(endpoint.receive(greeting, TAG, _ -> received.set(true)));
                peer.await(received::get);
                endpoint.close();
            }
        }
        Arrays.sort(times);
        return String.valueOf(times[count / 2]);
    }

    private String accept(int count) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment greeting = arena.allocate(1);
            for (int i = 0; i < count; i++) {
                Endpoint endpoint = peer.accept();
                FairleadPeer.taken(endpoint.send(greeting, TAG, Completion.IGNORE));
                peer.await(() -> endpoint.state() != EndpointState.CONNECTED);
            }
        }
        return "";
    }

    @Override
    public void close() {
        messages.close();
    }
}
