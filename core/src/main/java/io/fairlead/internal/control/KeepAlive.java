package io.fairlead.internal.control;

/** Whether the peer of one endpoint lives: asks it to speak when it is silent, and times its answers. */
public final class KeepAlive {
    /** No ping was answered. */
    public static final long NONE = -1;

    private final long timeoutNs;
    private final ControlChannel channel;
    private Liveness liveness;
    /** What the last ping carried; 0 once that was answered. */
    private long pingNs;

    /**
     * Begins to count the peer's silence.
     *
     * @param timeoutNs how long it may last
     */
    public KeepAlive(ControlChannel channel, long timeoutNs, long nowNs) {
        this.channel = channel;
        this.timeoutNs = timeoutNs;
        this.liveness = new Liveness(timeoutNs, nowNs);
    }

    /** The endpoint is connected: silence counts from now on. */
    public void connected(long nowNs) {
        liveness = new Liveness(timeoutNs, nowNs);
    }

    /** Something came from the peer. */
    public void heard() {
        liveness.heard();
    }

    /** Something came in answer to a ping: how long after it, or {@link #NONE} if it answers none. */
    public long answered(long sequence) {
        if (pingNs == 0 || sequence != pingNs) {
            return NONE;
        }
        pingNs = 0;
        return Math.max(0, System.nanoTime() - sequence);
    }

    public long silentNs() {
        return liveness.silentNs(System.nanoTime());
    }

    /**
     * Whether the peer has been silent for too long; if only for a while, asks it to speak.
     *
     * @param excusedNs how long this worker itself stood still since the last look
     */
    public boolean silent(long nowNs, long excusedNs) {
        liveness.excuse(excusedNs);
        if (liveness.silent(nowNs)) {
            return true;
        }
        if (liveness.due(nowNs)) {
            // An odd number is never the 0 of a ping that was answered.
            long sequence = System.nanoTime() | 1;
            if (channel.ping(sequence)) {
                pingNs = sequence;
            }
        }
        return false;
    }
}
