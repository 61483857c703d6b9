package io.fairlead.testkit.layers;

import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.testkit.contract.PeerProgram;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A node in a process of its own, which connects to the case's and serves requests. Ends with the case's process, whose end closes its standard input. */
final class ServiceProgram {
    /** The tag of requests that are answered with themselves. */
    static final long ECHO_TAG = 1;
    /** The tag of requests that are never answered. */
    static final long SILENT_TAG = 2;

    private ServiceProgram() {}

    /**
     * Runs the peer.
     *
     * @param arguments the transport's name and the listener's port
     */
    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        try (Node node = Node.start(PeerProgram.config(arguments[0]).with(ConfigKeys.SECURITY_ALLOW_INSECURE, true));
                InputStream in = new FileInputStream(FileDescriptor.in)) {
            node.serve(ECHO_TAG, request -> request.reply(request.segment()));
            node.serve(SILENT_TAG, request -> out.println(PeerProgram.PREFIX + "asked"));
            InetSocketAddress listener =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]));
            try (Peer peer = node.connect(listener).join()) {
                out.println(PeerProgram.PREFIX + "connected to " + peer.name());
                while (in.read() >= 0) {
                    // The case says nothing; the end is what counts.
                }
            }
        }
    }
}
