package io.fairlead.internal.control;

/** Finds out whether the peer of one endpoint is alive: pings it when it is silent, and times its answers. */
public final class KeepAlive {
    /** No ping was answered. */
    public static final long NONE = -1;

    private final long timeoutNs;
    private final ControlChannel channel;
    private SilenceTimer silence;
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
        this.silence = new SilenceTimer(timeoutNs, nowNs);
    }

    /** The endpoint is connected: silence counts from now on. */
    public void restart(long nowNs) {
        silence = new SilenceTimer(timeoutNs, nowNs);
    }

    /** Something came from the peer. */
    public void recordHeard() {
        silence.recordHeard();
    }

    /** Something came in answer to a ping: how long after it, or {@link #NONE} if it answers none. */
    public long recordAnswer(long sequence) {
        if (pingNs == 0 || sequence != pingNs) {
            return NONE;
        }
        pingNs = 0;
        return Math.max(0, System.nanoTime() - sequence);
    }

    public long silentNs() {
        return silence.silentNs(System.nanoTime());
    }

    /**
     * True if the peer has been silent for too long. Pings it if it has been silent for a while.
     *
     * @param excusedNs how long this worker itself stood still since the last look
     */
    public boolean checkSilence(long nowNs, long excusedNs) {
        silence.excuse(excusedNs);
        if (silence.isExpired(nowNs)) {
            return true;
        }
        if (silence.tryBeginPing(nowNs)) {
            // An odd number is never the 0 of a ping that was answered.
            long sequence = System.nanoTime() | 1;
            if (channel.ping(sequence)) {
                pingNs = sequence;
            }
        }
        return false;
    }
}
