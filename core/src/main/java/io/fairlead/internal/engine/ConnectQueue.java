package io.fairlead.internal.engine;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathPolicy;
import io.fairlead.internal.handshake.ClientHandshake;
import io.fairlead.internal.handshake.Handshake;
import io.fairlead.internal.handshake.HandshakeEndpoint;
import io.fairlead.internal.handshake.HandshakeHost;
import io.fairlead.internal.liveness.TurnGap;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The connections that a worker's application opens. A full listener closes connections whose peers have not sent a
 * hello. A worker that opens hundreds of connections at once opens the last before it sends the first hello. Therefore
 * only some connections to one address begin at a time, and the others wait until those have sent their hello.
 */
final class ConnectQueue {
    /** Half of a listener's default limit per address, so two workers of a host are served concurrently. */
    static final int HELLO_PENDING_MAX = 32;

    private final HandshakeHost host;
    private final List<Handshake> begun;
    private final Map<InetSocketAddress, Destination> destinations = new HashMap<>();
    private boolean closed;

    /**
     * Creates an empty queue.
     *
     * @param begun the handshakes with a deadline, to which this adds its own; their owner removes ended ones
     */
    ConnectQueue(HandshakeHost host, List<Handshake> begun) {
        this.host = host;
        this.begun = begun;
    }

    /** Connects an endpoint now, or when its turn comes. */
    void connect(HandshakeEndpoint endpoint, PathPolicy policy, InetSocketAddress address) {
        long deadlineNs = host.nowNs() + host.settings().connectNs();
        Destination destination = destinations.computeIfAbsent(address, Destination::new);
        if (destination.hasRoom()) {
            destination.begin(endpoint, policy, deadlineNs);
            return;
        }
        Waiting added = new Waiting(destination, endpoint, policy, deadlineNs);
        endpoint.start(added);
        destination.waiting.add(added);
        begun.add(added);
    }

    /** No waiting connection begins from now on. */
    void close() {
        closed = true;
    }

    /** An address with connections that have begun or wait to begin. */
    private final class Destination {
        private final InetSocketAddress address;
        private final LinkedHashSet<Waiting> waiting = new LinkedHashSet<>();
        /** The number of connections that have begun and have not sent their hello. */
        private int helloPending;
        /**
         * Waiting connections are being begun. A connection that ends at once then frees its slot for the next without
         * recursion.
         */
        private boolean beginning;

        Destination(InetSocketAddress address) {
            this.address = address;
        }

        long limitNs() {
            return host.settings().connectNs();
        }

        boolean hasRoom() {
            return helloPending < HELLO_PENDING_MAX && waiting.isEmpty();
        }

        void begin(HandshakeEndpoint endpoint, PathPolicy policy, long deadlineNs) {
            PendingHello pending = new PendingHello(this);
            ClientHandshake handshake = ClientHandshake.begin(host, endpoint, policy, address, deadlineNs, pending);
            if (handshake == null) {
                pending.run();
            } else {
                endpoint.start(handshake);
                begun.add(handshake);
            }
        }

        private void beginWaiting() {
            if (beginning || closed) {
                return;
            }
            beginning = true;
            try {
                while (helloPending < HELLO_PENDING_MAX && !waiting.isEmpty()) {
                    waiting.removeFirst().begin();
                }
            } finally {
                beginning = false;
            }
            forgetIfDone();
        }

        private void forgetIfDone() {
            if (helloPending == 0 && waiting.isEmpty()) {
                destinations.remove(address, this);
            }
        }
    }

    /** The time between the begin of a connection and its hello. It ends once, on the first notification. */
    private static final class PendingHello implements Runnable {
        private final Destination destination;
        private boolean over;

        PendingHello(Destination destination) {
            this.destination = destination;
            destination.helloPending++;
        }

        @Override
        public void run() {
            if (!over) {
                over = true;
                destination.helloPending--;
                destination.beginWaiting();
            }
        }
    }

    /** A connection that has not begun. */
    private static final class Waiting implements Handshake {
        private final Destination destination;
        private final HandshakeEndpoint endpoint;
        private final PathPolicy policy;
        private long deadlineNs;
        private boolean ended;

        Waiting(Destination destination, HandshakeEndpoint endpoint, PathPolicy policy, long deadlineNs) {
            this.destination = destination;
            this.endpoint = endpoint;
            this.policy = policy;
            this.deadlineNs = deadlineNs;
        }

        /** Begins the connection. */
        void begin() {
            ended = true;
            destination.begin(endpoint, policy, deadlineNs);
        }

        @Override
        public void ready(SelectionKey key) {
            throw new IllegalStateException("no selector knows this connection: peer=" + destination.address);
        }

        @Override
        public boolean expireIfDue(long nowNs, long gapNs) {
            if (ended) {
                return true;
            }
            long limitNs = destination.limitNs();
            deadlineNs += TurnGap.excusedNs(gapNs, limitNs);
            if (nowNs - deadlineNs > 0) {
                int before = destination.helloPending;
                cancel();
                endpoint.fail(new FairleadException(
                        Reason.TIMED_OUT,
                        "connecting took too long: peer=" + destination.address.getHostString() + ":"
                                + destination.address.getPort() + ", connect.timeout=" + limitNs / 1_000_000
                                + " ms; it had not begun, because " + before
                                + " others to the same address had not said hello by then, allowed " + HELLO_PENDING_MAX
                                + " at a time; connect fewer at once, or raise connect.timeout"));
            }
            return ended;
        }

        @Override
        public void cancel() {
            if (!ended) {
                ended = true;
                destination.waiting.remove(this);
                destination.forgetIfDone();
            }
        }
    }
}
