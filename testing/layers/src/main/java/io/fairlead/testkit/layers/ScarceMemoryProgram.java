package io.fairlead.testkit.layers;

import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.testkit.contract.PeerProgram;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A node in a process of its own, whose application has used up the direct memory. Says what becomes of each operation. */
final class ScarceMemoryProgram {
    /** A service that answers with what it is asked. */
    static final long ECHO_TAG = 1;
    /** A service that answers with {@link #LENGTH} bytes. */
    static final long LONG_TAG = 2;
    /** A service that sends a message of {@link #LENGTH} bytes and an empty one, and answers then. */
    static final long SEND_TAG = 3;
    /** Of those messages, and of one to the case that never arrives. */
    static final long MESSAGE_TAG = 4;

    /** There is memory for shorter messages. */
    static final int LENGTH = 600_000;

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int CHUNK = 128 << 10;

    private ScarceMemoryProgram() {}

    /**
     * Runs the node.
     *
     * @param arguments the transport's name and the listener's port
     */
    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        try (Node node = Node.start(PeerProgram.config(arguments[0]).with(ConfigKeys.SECURITY_ALLOW_INSECURE, true))) {
            Peer peer = node.connect(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1])))
                    .join();
            List<ByteBuffer> eaten = eat();
            say(out, "request", () -> peer.request(new byte[LENGTH], ECHO_TAG, LONG));
            say(out, "send", () -> peer.send(new byte[LENGTH], MESSAGE_TAG));
            say(out, "reply", () -> peer.request(new byte[1], LONG_TAG, LONG));
            say(out, "messages", () -> peer.request(new byte[1], SEND_TAG, LONG));
            say(out, "receive", () -> peer.receive(MESSAGE_TAG));
            say(out, "next", () -> peer.receive(MESSAGE_TAG));
            eaten.clear();
            while (!outcome(() -> peer.request(new byte[LENGTH], ECHO_TAG, LONG))
                    .equals("OK")) {
                System.gc();
            }
            out.println(PeerProgram.PREFIX + "again OK");
        }
    }

    /** What is left is less than a chunk. */
    private static List<ByteBuffer> eat() {
        List<ByteBuffer> eaten = new ArrayList<>();
        try {
            while (true) {
                eaten.add(ByteBuffer.allocateDirect(CHUNK));
            }
        } catch (OutOfMemoryError full) {
            return eaten;
        }
    }

    private interface Call {
        CompletableFuture<?> begin();
    }

    private static void say(PrintStream out, String what, Call call) {
        out.println(PeerProgram.PREFIX + what + " " + outcome(call));
    }

    private static String outcome(Call call) {
        CompletableFuture<?> future;
        try {
            future = call.begin();
        } catch (Throwable thrown) {
            return "threw " + thrown;
        }
        return future.handle((value, failure) -> {
                    if (value instanceof Message message) {
                        message.close();
                    }
                    return failure == null ? "OK" : name(failure);
                })
                .join();
    }

    private static String name(Throwable failure) {
        if (failure instanceof RequestException refused) {
            boolean named = refused.text().contains("MaxDirectMemorySize");
            return refused.status() == RequestStatus.RESOURCE_EXHAUSTED && named
                    ? "has no memory"
                    : String.valueOf(failure.getMessage());
        }
        return failure instanceof FairleadException known
                        && known.reason() == FairleadException.Reason.LIMIT_REACHED
                        && String.valueOf(known.getMessage()).contains("MaxDirectMemorySize")
                ? "has no memory"
                : failure.toString();
    }
}
