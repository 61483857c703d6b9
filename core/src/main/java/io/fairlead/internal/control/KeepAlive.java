package io.fairlead.internal.control;

import io.fairlead.internal.config.Settings;
import io.fairlead.internal.liveness.HostAnswer;
import io.fairlead.internal.liveness.HostWatch;
import io.fairlead.internal.liveness.WatchedHost;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * Asks two questions about the peer of one endpoint. Whether its worker moves, pings tell, which only a worker that makes progress answers; their
 * round trips are timed. Whether its host is there, the kernel tells, which is asked while the peer is silent.
 */
public final class KeepAlive {
    /** No ping was answered. */
    public static final long NONE = -1;

    /** What a look has shown. */
    public enum Finding {
        /** Nothing new. */
        NOTHING,
        /** The peer has been silent for so long that its host would be lost if it did not answer, and that is not the case. */
        STALL_BEGAN,
        /** The peer is heard again after a stall. */
        STALL_ENDED,
        /** The peer's host answers no more. */
        HOST_LOST,
        /** The peer has stood still for too long. */
        STALLED_TOO_LONG
    }

    private final ControlChannel channel;
    private final HostWatch hosts;
    private final long livenessNs;
    private final long stallNs;
    private SilenceTimer silence;
    /** What the last ping carried; 0 once that was answered. */
    private long pingNs;
    /** The peer's host, while the peer is silent. */
    private @Nullable WatchedHost host;
    /** How long the peer had been silent at the last look of a stall; 0 outside of stalls. */
    private long stalledNs;

    /** Begins to count the peer's silence. */
    public KeepAlive(ControlChannel channel, HostWatch hosts, Settings settings, long nowNs) {
        this.channel = channel;
        this.hosts = hosts;
        this.livenessNs = settings.livenessNs();
        this.stallNs = settings.stallNs();
        this.silence = new SilenceTimer(livenessNs, stallNs, nowNs);
    }

    /** The endpoint is connected: silence counts from now on. */
    public void restart(long nowNs) {
        silence = new SilenceTimer(livenessNs, stallNs, nowNs);
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
        return silence.stalledNs(System.nanoTime());
    }

    /** How long the stall has lasted, or the one that has just ended. */
    public long stalledNs() {
        return stalledNs;
    }

    /** What is known of the peer's host. */
    public HostAnswer hostAnswer() {
        return host == null ? HostAnswer.UNKNOWN : host.answer();
    }

    /**
     * Looks how long the peer has been silent, and pings it if that is due.
     *
     * @param gapNs how long this worker had not looked before, of which not all counts against the peer
     * @param connection the endpoint's socket; null: there is none
     */
    public Finding look(long nowNs, long gapNs, @Nullable SocketChannel connection) {
        silence.excuse(gapNs);
        Finding finding = judge(nowNs, silence.lookNs(nowNs), connection);
        if (finding != Finding.HOST_LOST && finding != Finding.STALLED_TOO_LONG && silence.tryBeginPing(nowNs)) {
            ping();
        }
        return finding;
    }

    private Finding judge(long nowNs, long silentNs, @Nullable SocketChannel connection) {
        if (silentNs <= livenessNs / 2) {
            end();
            if (stalledNs == 0) {
                return Finding.NOTHING;
            }
            return Finding.STALL_ENDED;
        }
        if (host == null && connection != null) {
            host = hosts.watch(connection);
        }
        if (silentNs > livenessNs && hostAnswer() == HostAnswer.NONE) {
            return Finding.HOST_LOST;
        }
        if (silence.stalledNs(nowNs) > stallNs) {
            return Finding.STALLED_TOO_LONG;
        }
        if (stalledNs > 0) {
            stalledNs = silentNs;
        } else if (silentNs > livenessNs && isHostJudged()) {
            stalledNs = silentNs;
            return Finding.STALL_BEGAN;
        }
        return Finding.NOTHING;
    }

    /** Whether it is known that the host answers, or that it never will be known. */
    private boolean isHostJudged() {
        return host == null || (host.isAsked() && host.answer() != HostAnswer.AWAITED);
    }

    private void ping() {
        // An odd number is never the 0 of a ping that was answered.
        long sequence = System.nanoTime() | 1;
        if (channel.ping(sequence)) {
            pingNs = sequence;
        }
    }

    /** A stall that has ended was told of. */
    public void forgetStall() {
        stalledNs = 0;
    }

    /** The peer's host is of no interest any more. Idempotent. */
    public void end() {
        if (host != null) {
            host.close();
            host = null;
        }
    }
}
