package io.fairlead.system.network;

import io.fairlead.ActiveMessage;
import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.IdleStrategy;
import io.fairlead.PathPolicy;
import io.fairlead.Worker;
import io.fairlead.statistics.Counter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;

/**
 * A process that sends numbered messages and waits for their echoes, or one that echoes. Each reports every number that does not follow the one before, so
 * nothing can be lost, doubled or reordered in silence.
 */
final class NumberedPeer implements EndpointHandler {
    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int HANDLER = 1;
    private static final int WINDOW = 32;
    /** More than a window's worth: a header is not written again before its send has completed. */
    private static final int SLOTS = 1024;
    /** Several packets of an Ethernet. */
    private static final int PAYLOAD = 4000;

    private final MemorySegment headers = Arena.global().allocate((long) SLOTS * Long.BYTES, Long.BYTES);
    private final MemorySegment payload = Arena.global().allocate(PAYLOAD);
    private final long[] sentNs = new long[SLOTS];
    private final RoundTrips roundTrips = new RoundTrips();
    private final Worker worker;
    private Endpoint endpoint;
    private long sent;
    private long received;
    private long reportedNs;

    private NumberedPeer(Worker worker) {
        this.worker = worker;
        worker.register(HANDLER, this::take);
    }

    /**
     * Runs the process until its standard input has a line.
     *
     * @param arguments {@code listen} or {@code connect}, address, port, and {@code on} or {@code off} for failover
     */
    public static void main(String[] arguments) throws IOException {
        InetSocketAddress address = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
        try (Context context = Context.open(Report.config(arguments[3]));
                Worker worker = context.newWorker()) {
            NumberedPeer peer = new NumberedPeer(worker);
            if (arguments[0].equals("listen")) {
                worker.listen(address, peer);
                Report.say("listening");
                peer.run(false);
            } else {
                peer.endpoint = worker.connect(address, PathPolicy.TCP_ONLY, peer);
                peer.run(true);
            }
        }
    }

    private void run(boolean asks) throws IOException {
        IdleStrategy idle = IdleStrategy.backOff();
        boolean stopped = false;
        while (!stopped || (asks && isConnected() && received < sent)) {
            idle.idle(worker, worker.progress());
            stopped |= System.in.available() > 0;
            if (isConnected()) {
                post(asks ? (stopped ? sent : received + WINDOW) : received);
            }
            report();
        }
        Report.say("done sent=" + sent + " received=" + received);
    }

    private boolean isConnected() {
        return endpoint != null && endpoint.state() == EndpointState.CONNECTED;
    }

    private void post(long until) {
        while (sent < until) {
            MemorySegment header = headers.asSlice(sent % SLOTS * Long.BYTES, Long.BYTES);
            header.set(NUMBER, 0, sent);
            sentNs[(int) (sent % SLOTS)] = System.nanoTime();
            if (endpoint.sendActive(HANDLER, header, payload, Completion.IGNORE) < 0) {
                return;
            }
            sent++;
        }
    }

    private void take(ActiveMessage message) {
        long number = message.header().get(NUMBER, 0);
        if (number != received || message.length() != PAYLOAD) {
            Report.say("violation number=" + number + " due=" + received + " length=" + message.length());
        }
        received = number + 1;
        if (number < sent) {
            // Otherwise it is no echo.
            roundTrips.end(sentNs[(int) (number % SLOTS)]);
        }
    }

    private void report() {
        long nowNs = System.nanoTime();
        if (nowNs - reportedNs > Report.EVERY.toNanos()) {
            reportedNs = nowNs;
            Report.progress(() -> "received=" + received + " resumed="
                    + worker.counters().value(Counter.FAILOVERS) + " " + roundTrips.report());
        }
    }

    @Override
    public void connected(Endpoint connected) {
        endpoint = connected;
        sent = 0;
        received = 0;
        Report.say("connected");
    }

    @Override
    public void failed(Endpoint ended, FairleadException cause) {
        Report.say("failed " + cause.reason() + " " + cause.getMessage());
    }
}
