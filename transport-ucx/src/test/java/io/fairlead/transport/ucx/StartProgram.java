package io.fairlead.transport.ucx;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.PathPolicy;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.ChosenTransports;
import io.fairlead.testkit.loopback.LoopbackProvider;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Starts where UCX or JUCX may be out of something, beside a transport that needs nothing, and says how that went. */
final class StartProgram {
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private static final List<TransportProvider> BOTH = List.of(new UcxProvider(), LoopbackProvider.available());

    private static final Deque<FileInputStream> FILES = new ArrayDeque<>();

    private StartProgram() {}

    public static void main(String[] arguments) throws Exception {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "ucx,loopback");
        switch (arguments[0]) {
            case "unnamed" -> {
                start(FairleadConfig.defaults());
                OUT.println("libraries: "
                        + Files.readAllLines(Path.of("/proc/self/maps")).stream()
                                .filter(line ->
                                        line.contains("libuc") || line.contains("jucx.so") || line.contains("libjucx"))
                                .count());
            }
            case "start" -> start(config);
            case "start-and-die" -> {
                start(config);
                Runtime.getRuntime().halt(0);
            }
            case "without-memory-file" -> {
                OUT.println("jucx: "
                        + JucxLibrary.load(() -> {
                            throw new IOException("refused by the test");
                        }));
                start(config);
            }
            case "without-threads" -> {
                exhaustThreads();
                start(config);
                // The threads still wait.
                Runtime.getRuntime().halt(0);
            }
            case "without-threads-later" -> {
                try (Context context = ChosenTransports.with(BOTH, () -> Context.open(config))) {
                    exhaustThreads();
                    connect(context);
                    Runtime.getRuntime().halt(0);
                }
            }
            case "few-descriptors" -> {
                // Classes take descriptors to load.
                tryWorker(config);
                OUT.println("and now with few");
                exhaustDescriptors(4);
                tryWorker(config);
            }
            case "few-descriptors-later" -> {
                try (Context context = ChosenTransports.with(BOTH, () -> Context.open(config))) {
                    exhaustDescriptors(20);
                    openWorker(context);
                    exhaustDescriptors(4);
                    openWorker(context);
                }
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void exhaustThreads() {
        CountDownLatch never = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        try {
            while (true) {
                Thread thread = new Thread(() -> {
                    try {
                        never.await();
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                    }
                });
                thread.start();
                threads.add(thread);
            }
        } catch (OutOfMemoryError exhausted) {
            OUT.println("threads: " + threads.size());
        }
    }

    /** Opens files until so many more could be opened; none is closed again. */
    private static void exhaustDescriptors(int left) throws IOException {
        try {
            while (true) {
                FILES.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException exhausted) {
            for (int i = 0; i < left; i++) {
                FILES.removeLast().close();
            }
        }
    }

    private static void tryWorker(FairleadConfig config) {
        try (Context context = ChosenTransports.with(BOTH, () -> Context.open(config))) {
            context.transports()
                    .forEach(info -> OUT.println(info.name() + ": " + info.available() + " " + info.cause()));
            openWorker(context);
        }
    }

    private static void openWorker(Context context) {
        try (Worker _ = context.newWorker()) {
            OUT.println("worker: open");
        } catch (FairleadException refused) {
            OUT.println("refused: " + refused.reason() + " " + refused.getMessage());
        }
    }

    private static void start(FairleadConfig config) {
        try (Context context = ChosenTransports.with(BOTH, () -> Context.open(config))) {
            context.transports()
                    .forEach(info -> OUT.println(info.name() + ": " + info.available() + " " + info.cause()));
            connect(context);
        }
    }

    /** Connects two workers, by loopback, and says what each side knows. */
    private static void connect(Context context) {
        try (Worker server = context.newWorker();
                Worker client = context.newWorker()) {
            List<Endpoint> accepted = new ArrayList<>();
            Listener listener =
                    server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new EndpointHandler() {
                        @Override
                        public void connected(Endpoint endpoint) {
                            accepted.add(endpoint);
                        }
                    });
            Endpoint endpoint =
                    client.connect(listener.address(), PathPolicy.named(LoopbackProvider.NAME), EndpointHandler.NONE);
            while (accepted.isEmpty() || endpoint.state() == EndpointState.CONNECTING) {
                server.progress();
                client.progress();
                Thread.yield();
            }
            OUT.println("listener: " + accepted.getFirst().path().orElseThrow().reason());
            OUT.println("connector: " + endpoint.path().orElseThrow().reason());
            // A graceful close would wait for the other side, which is of this thread too.
            endpoint.abort();
        }
    }
}
