package io.fairlead.internal;

/** Whether the peer of one endpoint lives: asks it to speak when it is silent, and times its answers. */
final class PeerWatch {
    private final CoreWorker worker;
    private final EndpointLife life;
    private Liveness liveness;
    /** What the last ping carried; 0 once that was answered. */
    private long pingNs;

    PeerWatch(CoreWorker worker, EndpointLife life) {
        this.worker = worker;
        this.life = life;
        this.liveness = begin();
    }

    private Liveness begin() {
        return new Liveness(worker.settings().livenessNs(), worker.nowNs());
    }

    /** The endpoint is connected: silence counts from now on. */
    void connected() {
        liveness = begin();
    }

    /** Something came from the peer. */
    void heard() {
        liveness.heard();
    }

    /** Something came in answer to a ping. */
    void answered(long sequence) {
        if (pingNs != 0 && sequence == pingNs) {
            pingNs = 0;
            worker.counterSet().roundTrip(life.transportNumber(), System.nanoTime() - sequence);
        }
    }

    long silentNs() {
        return liveness.silentNs(System.nanoTime());
    }

    /**
     * Whether the peer has been silent for too long; if only for a while, asks it to speak.
     *
     * @param excusedNs how long this worker itself stood still since the last look
     */
    boolean silent(long nowNs, long excusedNs) {
        liveness.excuse(excusedNs);
        if (liveness.silent(nowNs)) {
            return true;
        }
        if (liveness.due(nowNs)) {
            // An odd number is never the 0 of a ping that was answered.
            long sequence = System.nanoTime() | 1;
            if (life.channel().ping(sequence)) {
                pingNs = sequence;
            }
        }
        return false;
    }
}
