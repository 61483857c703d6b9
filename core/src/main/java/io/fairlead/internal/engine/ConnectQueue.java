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
import java.util.ArrayList;
import java.util.List;

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
    private final List<Waiting> waiting = new ArrayList<>();

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
        if (waiting.isEmpty() && hasRoom(address)) {
            begin(endpoint, policy, address, deadlineNs);
            return;
        }
        Waiting added = new Waiting(endpoint, policy, address, deadlineNs);
        endpoint.start(added);
        waiting.add(added);
        begun.add(added);
    }

    private boolean hasRoom(InetSocketAddress address) {
        if (begun.size() < SILENT_MAX) {
            return true;
        }
        int same = 0;
        for (Handshake handshake : begun) {
            if (handshake instanceof ClientHandshake client
                    && client.isSilent()
                    && client.address().equals(address)) {
                same++;
            }
        }
        return same < SILENT_MAX;
    }

    private void begin(HandshakeEndpoint endpoint, PathPolicy policy, InetSocketAddress address, long deadlineNs) {
        ClientHandshake handshake = ClientHandshake.begin(host, endpoint, policy, address, deadlineNs);
        if (handshake != null) {
            endpoint.start(handshake);
            begun.add(handshake);
        }
    }

    /** Begins those whose turn it is. */
    void beginWaiting() {
        if (!waiting.isEmpty()) {
            waiting.removeIf(Waiting::isOver);
        }
    }

    /** One that has not begun. */
    private final class Waiting implements Handshake {
        private final HandshakeEndpoint endpoint;
        private final PathPolicy policy;
        private final InetSocketAddress address;
        private long deadlineNs;
        private boolean ended;

        Waiting(HandshakeEndpoint endpoint, PathPolicy policy, InetSocketAddress address, long deadlineNs) {
            this.endpoint = endpoint;
            this.policy = policy;
            this.address = address;
            this.deadlineNs = deadlineNs;
        }

        /** Begins it if it is its turn; whether it is over, one way or the other. */
        boolean isOver() {
            if (!ended && hasRoom(address)) {
                ended = true;
                begin(endpoint, policy, address, deadlineNs);
            }
            return ended;
        }

        @Override
        public void ready(SelectionKey key) {
            throw new IllegalStateException("no selector knows this connection: peer=" + address);
        }

        @Override
        public boolean expireIfDue(long nowNs, long gapNs) {
            deadlineNs += TurnGap.excusedNs(gapNs, host.settings().connectNs());
            if (!ended && nowNs - deadlineNs > 0) {
                ended = true;
                endpoint.fail(new FairleadException(
                        Reason.TIMED_OUT,
                        "connecting took too long: peer=" + address.getHostString() + ":" + address.getPort()
                                + ", connect.timeout=" + host.settings().connectNs() / 1_000_000
                                + " ms; others that connect to the same address had not said hello by then"));
            }
            return ended;
        }

        @Override
        public void cancel() {
            ended = true;
        }
    }
}
