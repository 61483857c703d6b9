package io.fairlead.system.mixed;

import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.Path;
import io.fairlead.PathPolicy;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.providers.TransportProviders;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.testkit.internal.ForwardingProvider;
import io.fairlead.testkit.internal.ForwardingTransport;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** One process of a cluster whose processes do not all have the same transports: a listener, or a peer that sends it one message. */
final class MixedPeer implements EndpointHandler {
    private static final long NAP_NS = Duration.ofMillis(5).toNanos();

    private final String name;
    private boolean over;

    private MixedPeer(String name) {
        this.name = name;
    }

    /**
     * Runs the process until its standard input ends, or its connection does.
     *
     * @param arguments {@code listen}, or {@code connect}, name, port and policy; before them perhaps {@code version}, which makes its
     *     transports say another version of themselves
     */
    public static void main(String[] arguments) throws IOException {
        boolean otherVersion = arguments[0].equals("version");
        List<String> words = List.of(arguments).subList(otherVersion ? 1 : 0, arguments.length);
        List<TransportProvider> providers = TransportProviders.present().stream()
                .filter(provider -> Set.of("tcp", "shm", "ucx").contains(provider.name()))
                .map(provider -> otherVersion && !provider.name().equals("tcp") ? new OtherVersion(provider) : provider)
                .toList();
        String name = words.get(0).equals("listen") ? "listener" : words.get(1);
        // UCX's shared memory is there for who names it.
        FairleadConfig config = FairleadConfig.defaults()
                .with(ConfigKeys.NODE_NAME, name)
                .with(
                        ConfigKeys.TRANSPORTS,
                        providers.stream().map(TransportProvider::name).collect(Collectors.joining(",")));
        try (Context context = TransportProviders.with(providers, () -> Context.open(config));
                Worker worker = context.newWorker()) {
            if (words.get(0).equals("listen")) {
                listen(worker);
            } else {
                new MixedPeer(name).connect(worker, Integer.parseInt(words.get(2)), PathPolicy.parse(words.get(3)));
            }
        }
    }

    private static void listen(Worker worker) throws IOException {
        InetSocketAddress address = worker.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE)
                .address();
        say("port " + address.getPort());
        MemorySegment buffer = Arena.global().allocate(64);
        Completion told = request -> {
            Endpoint from = request.source().orElseThrow();
            Path path = from.path().orElseThrow();
            say("message " + request.tag() + " from " + from.peerName() + " by " + path.transport() + ": "
                    + path.reason());
        };
        for (int i = 0; i < 8; i++) {
            worker.receive(buffer, 0, 64, 0, 0, told, 0);
        }
        while (System.in.available() == 0) {
            rest(worker);
        }
    }

    private void connect(Worker worker, int port, PathPolicy policy) {
        worker.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), policy, this);
        while (!over) {
            rest(worker);
        }
    }

    private static void rest(Worker worker) {
        if (worker.progress() == 0) {
            worker.await(NAP_NS);
        }
    }

    private static void say(String line) {
        System.out.println("mixed: " + line);
    }

    @Override
    public void connected(Endpoint endpoint) {
        Path path = endpoint.path().orElseThrow();
        say("connected by " + path.transport() + ": " + path.reason());
        MemorySegment message = Arena.global().allocate(64);
        // Ends when the listener has matched it, so that this process may go.
        endpoint.sendSynchronous(message, 0, 64, name.hashCode() & 0xFFFF, request -> over = true, 0);
    }

    @Override
    public void failed(Endpoint endpoint, FairleadException cause) {
        say("failed " + cause.reason() + ": " + cause.getMessage());
        over = true;
    }

    /** A transport as it is but for what it says of its version. */
    private static final class OtherVersion extends ForwardingProvider {
        OtherVersion(TransportProvider provider) {
            super(provider);
        }

        @Override
        public Transport open(TransportSetup setup) {
            return new ForwardingTransport(super.open(setup)) {
                @Override
                public String version() {
                    return "1.99";
                }
            };
        }
    }
}
