package io.fairlead.testkit.layers;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.testkit.loopback.LoopbackProvider;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Starts nodes where UCX or Java may be out of something, beside a transport that needs nothing, and says how that went. */
final class NodeStartProgram {
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

    private NodeStartProgram() {}

    public static void main(String[] arguments) throws Exception {
        System.setProperty(LoopbackProvider.PROPERTY, "true");
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "ucx,loopback");
        switch (arguments[0]) {
            case "without-threads" -> {
                try (Context context = Context.open(config)) {
                    context.newWorker().close();
                }
                exhaustThreads();
                tryNode(config);
                // The threads still wait.
                Runtime.getRuntime().halt(0);
            }
            case "many-threads" -> startNode(config.with(NodeKeys.THREADS, 16));
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

    private static void tryNode(FairleadConfig config) {
        try (Node _ = Node.start(config)) {
            OUT.println("node: started");
        } catch (FairleadException refused) {
            OUT.println("refused: " + refused.reason() + " " + refused.getMessage());
        }
    }

    private static void startNode(FairleadConfig config) throws Exception {
        try (Node server = Node.start(config);
                Node client = Node.start(config)) {
            var received = server.receive(7);
            Listener listener = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), _ -> {});
            client.connect(listener.address()).get().send(new byte[100_000], 7).get();
            OUT.println("node: received " + received.get().length() + " bytes");
        }
    }
}
