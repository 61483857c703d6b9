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
 * The connections that a worker's application asks for. A listener that is full hangs up on peers which have not said hello, and a worker that is asked for
 * hundreds of connections at once has opened the last before it comes to say hello on the first. So only some begin at a time with one
 * address, and the others wait until those have said hello.
 */
final class ConnectQueue {
    /** Half of what a listener by default takes of one address, so that two workers of a host are served at once. */
    static final int SILENT_MAX = 32;

    private final HandshakeHost host;
    private final List<Handshake> begun;
    private final Map<InetSocketAddress, Destination> destinations = new HashMap<>();
    private boolean closed;

    /**
     * Makes one.
     *
     * @param begun the handshakes that the clock is looked at for, to which this adds its own; those that are over are removed by their owner
     */
    ConnectQueue(HandshakeHost host, List<Handshake> begun) {
        this.host = host;
        this.begun = begun;
    }

    /** Connects an endpoint now, or when it is its turn. */
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

    /** From now on none begins any more that waits. */
    void close() {
        closed = true;
    }

    /** An address to which connections begin or wait to begin. */
    private final class Destination {
        private final InetSocketAddress address;
        private final LinkedHashSet<Waiting> waiting = new LinkedHashSet<>();
        /** How many have begun and have not said hello. */
        private int silent;
        /** Those that wait are being begun: what ends at once makes room for the next without a call in a call. */
        private boolean beginning;

        Destination(InetSocketAddress address) {
            this.address = address;
        }

        long limitNs() {
            return host.settings().connectNs();
        }

        boolean hasRoom() {
            return silent < SILENT_MAX && waiting.isEmpty();
        }

        void begin(HandshakeEndpoint endpoint, PathPolicy policy, long deadlineNs) {
            Silence silence = new Silence(this);
            ClientHandshake handshake = ClientHandshake.begin(host, endpoint, policy, address, deadlineNs, silence);
            if (handshake == null) {
                silence.run();
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
                while (silent < SILENT_MAX && !waiting.isEmpty()) {
                    waiting.removeFirst().begin();
                }
            } finally {
                beginning = false;
            }
            forgetIfDone();
        }

        private void forgetIfDone() {
            if (silent == 0 && waiting.isEmpty()) {
                destinations.remove(address, this);
            }
        }
    }

    /** The time in which one connection has begun and has not said hello. It ends once, whoever notices first. */
    private static final class Silence implements Runnable {
        private final Destination destination;
        private boolean over;

        Silence(Destination destination) {
            this.destination = destination;
            destination.silent++;
        }

        @Override
        public void run() {
            if (!over) {
                over = true;
                destination.silent--;
                destination.beginWaiting();
            }
        }
    }

    /** One that has not begun. */
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

        /** It is its turn. */
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
                int before = destination.silent;
                cancel();
                endpoint.fail(new FairleadException(
                        Reason.TIMED_OUT,
                        "connecting took too long: peer=" + destination.address.getHostString() + ":"
                                + destination.address.getPort() + ", connect.timeout=" + limitNs / 1_000_000
                                + " ms; it had not begun, because " + before
                                + " others to the same address had not said hello by then, allowed " + SILENT_MAX
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
