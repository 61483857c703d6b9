package io.fairlead.testkit.contract;

import io.fairlead.AccessRight;
import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.MemoryRegion;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.Posted;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The peer in a process of its own: connects to the case's listener, sends the packed key of a region, and executes commands from its
 * standard input. Ends with the case's process, whose end closes the standard input.
 */
public final class PeerProgram implements EndpointHandler {
    /** The tag of the message with the packed key. */
    static final long KEY_TAG = 0xFEED;

    /** The tag of a message whose sending the case asks for. */
    static final long MESSAGE_TAG = 0xBEEF;

    /** What distinguishes this program's lines from log lines. */
    public static final String PREFIX = "peer: ";

    private static final long REGION_LENGTH = 1 << 20;
    /** Before the name of a key of the transport's. */
    private static final String PROPERTY = "fairlead.contract.";

    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private final Queue<String> commands = new ConcurrentLinkedQueue<>();
    private final Arena arena = Arena.ofShared();
    private final Context context;
    private final MemoryRegion region;

    private PeerProgram(String transport, Duration liveness) {
        // The case says by its own address whether this process leaves the loopback interface.
        context = Context.open(config(transport)
                .with(ConfigKeys.LIVENESS_TIMEOUT, liveness)
                .with(ConfigKeys.SECURITY_ALLOW_INSECURE, true));
        region = context.allocate(REGION_LENGTH, EnumSet.allOf(AccessRight.class));
    }

    /**
     * The configuration of a program that {@link PeerProcess} has started.
     *
     * @param transport the transport's name, the program's first argument
     * @return the configuration for a context or a node
     */
    public static FairleadConfig config(String transport) {
        FairleadConfig config = FairleadConfig.defaults();
        for (TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            if (provider.name().equals(transport)) {
                config = configured(config, provider);
            }
        }
        return DisturbedTransport.configured(SecuredTransport.configured(config))
                .with(ConfigKeys.TRANSPORTS, transport)
                .with(ConfigKeys.NODE_NAME, "process");
    }

    /** The options of the {@code java} command that make a child use a transport as this process does. */
    static List<String> options(FairleadConfig config, TransportProvider provider) {
        return provider.configKeys().stream()
                .map(key -> "-D" + PROPERTY + key.name() + "=" + text(config, key))
                .toList();
    }

    private static <T> String text(FairleadConfig config, ConfigKey<T> key) {
        return key.format(config.value(key));
    }

    private static FairleadConfig configured(FairleadConfig base, TransportProvider provider) {
        FairleadConfig config = base;
        for (ConfigKey<?> key : provider.configKeys()) {
            config = keyed(config, key);
        }
        return config;
    }

    private static <T> FairleadConfig keyed(FairleadConfig base, ConfigKey<T> key) {
        String text = System.getProperty(PROPERTY + key.name());
        return text == null ? base : base.with(key, key.parse(text));
    }

    /**
     * Runs the peer.
     *
     * @param arguments the transport's name, the listener's port, {@code liveness.timeout} in ms, and the listener's address
     */
    public static void main(String[] arguments) {
        PeerProgram program = new PeerProgram(arguments[0], Duration.ofMillis(Long.parseLong(arguments[2])));
        Thread.ofPlatform().daemon().name("commands").start(program::listen);
        program.run(new InetSocketAddress(arguments[3], Integer.parseInt(arguments[1])));
    }

    private void listen() {
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8))) {
            lines.lines().forEach(commands::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            commands.add("exit");
        }
    }

    private void run(InetSocketAddress listener) {
        try (context;
                Worker worker = context.newWorker()) {
            Endpoint endpoint = worker.connect(listener, this);
            while (true) {
                String command = commands.poll();
                if (command != null && !obey(command, endpoint)) {
                    return;
                }
                if (worker.progress() == 0) {
                    worker.await(Duration.ofMillis(5).toNanos());
                }
            }
        }
    }

    private boolean obey(String command, Endpoint endpoint) {
        String[] words = command.split(" ", -1);
        switch (words[0]) {
            case "exit" -> {
                return false;
            }
            case "close" -> endpoint.close();
            case "halt" -> Runtime.getRuntime().halt(3);
            case "send" -> {
                MemorySegment message = arena.allocate(Long.parseLong(words[1]), 8);
                Pattern.fill(message, 0, message.byteSize(), MESSAGE_TAG);
                Posted.started(endpoint.send(message, MESSAGE_TAG, Completion.IGNORE));
                say("sent");
            }
            default -> throw new IllegalArgumentException("unknown command: " + command);
        }
        return true;
    }

    @Override
    public void connected(Endpoint endpoint) {
        byte[] packed = region.packedKey();
        MemorySegment message = arena.allocate(packed.length);
        message.copyFrom(MemorySegment.ofArray(packed));
        Posted.started(endpoint.send(message, 0, packed.length, KEY_TAG, Completion.IGNORE, 0));
        say("connected");
    }

    @Override
    public void closed(Endpoint endpoint) {
        say("closed");
    }

    @Override
    public void failed(Endpoint endpoint, FairleadException cause) {
        say("failed " + cause.reason());
    }

    private void say(String line) {
        out.println(PREFIX + line);
    }
}
