package io.fairlead.transport.shm;

import io.fairlead.spi.WorkerHost;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The endpoints of a worker whose peers' processes are ending, from the thread that notices it to the worker's. */
final class LostPeers {
    private final Lifeline lifeline;
    private final WorkerHost host;
    private final Queue<RingUser> noticed = new ConcurrentLinkedQueue<>();
    /** There may be some: cheaper to read in each turn than the queue. */
    private volatile boolean any;

    LostPeers(Lifeline lifeline, WorkerHost host) {
        this.lifeline = lifeline;
        this.host = host;
    }

    void watch(Lifeline.Watched peer) {
        lifeline.watch(peer);
    }

    void forget(Lifeline.Watched peer) {
        lifeline.forget(peer);
    }

    /** Reports an endpoint whose peer's process is ending; on any thread. */
    void add(RingUser endpoint) {
        noticed.add(endpoint);
        any = true;
        host.wakeup();
    }

    /** Ends the endpoints; returns how many. */
    int end() {
        if (!any) {
            return 0;
        }
        // Before the queue is read: one added meanwhile sets it again.
        any = false;
        int count = 0;
        for (RingUser endpoint = noticed.poll(); endpoint != null; endpoint = noticed.poll()) {
            endpoint.endWithPeer();
            count++;
        }
        return count;
    }
}
