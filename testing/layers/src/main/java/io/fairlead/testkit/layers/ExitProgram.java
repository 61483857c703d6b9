package io.fairlead.testkit.layers;

import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.testkit.contract.PeerProgram;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A node in a process of its own that ends the process on its progress thread, where a shutdown hook closes the node. */
final class ExitProgram {
    private ExitProgram() {}

    /**
     * Runs the peer.
     *
     * @param arguments the transport's name and the listener's port
     */
    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        Node node = Node.start(PeerProgram.config(arguments[0])
                .with(ConfigKeys.SECURITY_ALLOW_INSECURE, true)
                .with(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60)));
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
            node.close();
            out.println(PeerProgram.PREFIX + "closed");
        }));
        InetSocketAddress listener =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]));
        Peer peer = node.connect(listener).join();
        out.println(PeerProgram.PREFIX + "connected to " + peer.name());
        CompletableFuture<Boolean> _ = node.workerThread().call(_ -> {
            System.exit(0);
            return true;
        });
    }
}
