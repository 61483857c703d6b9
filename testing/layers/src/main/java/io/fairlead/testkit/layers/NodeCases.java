package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.testkit.ChosenTransports;
import io.fairlead.testkit.contract.TransportContract;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What the suites about nodes share: two nodes with threads of their own, and waiting under a deadline. */
abstract class NodeCases extends TransportContract {
    private static final long DEADLINE_S = Long.getLong("fairlead.contract.deadline-s", 60);

    private final BlockingQueue<Peer> accepted = new LinkedBlockingQueue<>();
    private @Nullable Node serverNode;
    private @Nullable Node clientNode;
    private @Nullable Listener listener;

    /**
     * A connection as both nodes see it.
     *
     * @param server the peer of the node that listens
     * @param client the peer of the node that connected
     */
    record Peers(Peer server, Peer client) {}

    NodeCases() {}

    /** Lets senders run out of credits soon. */
    final void configureFewCredits() {
        configure(ConfigKeys.CREDIT_BYTES, 4096);
        configure(ConfigKeys.EAGER_MAX, 1024);
    }

    /** Starts a node that is closed when the case ends. */
    final Node startNode(String name) {
        return closeLater(
                ChosenTransports.with(providers(), () -> Node.start(config().with(ConfigKeys.NODE_NAME, name))));
    }

    /** Starts a node whose callbacks run on an executor. */
    final Node startNode(String name, Executor executor) {
        return closeLater(ChosenTransports.with(
                providers(), () -> Node.start(config().with(ConfigKeys.NODE_NAME, name), executor)));
    }

    final Node serverNode() {
        if (serverNode == null) {
            serverNode = startNode("server");
        }
        return serverNode;
    }

    final Node clientNode() {
        if (clientNode == null) {
            clientNode = startNode("client");
        }
        return clientNode;
    }

    /** The server's listener, whose peers go to {@link #nextAccepted()}. */
    final InetSocketAddress address() {
        if (listener == null) {
            listener = serverNode().listen(loopback(), accepted::add);
        }
        return listener.address();
    }

    static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    final Peer nextAccepted() {
        try {
            Peer peer = accepted.poll(DEADLINE_S, TimeUnit.SECONDS);
            if (peer == null) {
                throw new AssertionError("waited " + DEADLINE_S + " s for a peer to be accepted");
            }
            return peer;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** Connects the client's node to the server's. */
    final Peers connectNodes() {
        return connectNodes(ReconnectPolicy.NEVER);
    }

    final Peers connectNodes(ReconnectPolicy reconnect) {
        InetSocketAddress to = address();
        Peer client = get(clientNode().connect(to, PathPolicy.AUTO, reconnect));
        return new Peers(nextAccepted(), client);
    }

    /** Waits for a future to complete well. */
    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(DEADLINE_S, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw new AssertionError("future failed", failed.getCause());
        } catch (TimeoutException late) {
            throw new AssertionError("waited " + DEADLINE_S + " s for a future");
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** Waits for a future to fail. */
    static FairleadException failureOf(CompletableFuture<?> future) {
        ExecutionException failed =
                assertThrows(ExecutionException.class, () -> future.get(DEADLINE_S, TimeUnit.SECONDS));
        return assertInstanceOf(FairleadException.class, failed.getCause());
    }

    static void await(CountDownLatch latch, String what) {
        try {
            assertTrue(latch.await(DEADLINE_S, TimeUnit.SECONDS), () -> "waited " + DEADLINE_S + " s for " + what);
        } catch (InterruptedException interrupted) {
            fail(interrupted);
        }
    }

    static <T> T take(BlockingQueue<T> queue, String what) {
        try {
            T taken = queue.poll(DEADLINE_S, TimeUnit.SECONDS);
            if (taken == null) {
                throw new AssertionError("waited " + DEADLINE_S + " s for " + what);
            }
            return taken;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
