package io.fairlead.internal.control;

import io.fairlead.internal.config.Settings;
import io.fairlead.internal.liveness.HostAnswer;
import io.fairlead.internal.liveness.HostWatch;
import io.fairlead.internal.liveness.WatchedHost;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * Watches the peer of one endpoint in two ways. Pings show whether its worker moves, because only a worker that makes
 * progress answers them; their round trips are timed. The kernel reports whether its host is alive; it is queried while
 * the peer is idle.
 */
public final class KeepAlive extends IdleTimer {
    /** No ping was answered. */
    public static final long NONE = -1;

    /** The result of a check. */
    public enum Finding {
        /** Nothing new. */
        NOTHING,
        /** The peer has been idle for the liveness timeout, but its host answers or its state is unknown. */
        STALL_BEGAN,
        /** The peer has sent something again after a stall. */
        STALL_ENDED,
        /** The peer's host no longer answers. */
        HOST_LOST,
        /** The peer has been stalled for too long. */
        STALLED_TOO_LONG
    }

    private final ControlChannel channel;
    private final HostWatch hosts;
    /** The number of the last ping; 0 once that was answered. */
    private long pingNs;
    /** The peer's host, while the peer is idle. */
    private @Nullable WatchedHost host;
    /** The peer's idle time at the last check of a stall; 0 outside of stalls. */
    private long stalledNs;

    /** Starts to measure the peer's idle time. */
    public KeepAlive(ControlChannel channel, HostWatch hosts, Settings settings, long nowNs) {
        super(settings.livenessNs(), settings.stallNs(), nowNs);
        this.channel = channel;
        this.hosts = hosts;
    }

    /** The round-trip time of an answered ping, or {@link #NONE} if this is not an answer. */
    public long recordAnswer(long sequence) {
        if (pingNs == 0 || sequence != pingNs) {
            return NONE;
        }
        pingNs = 0;
        return Math.max(0, System.nanoTime() - sequence);
    }

    public long idleNs() {
        return stalledNs(System.nanoTime());
    }

    /** The duration of the current stall, or of the one that has just ended. */
    public long stalledNs() {
        return stalledNs;
    }

    /** The state of the peer's host. */
    public HostAnswer hostAnswer() {
        return host == null ? HostAnswer.UNKNOWN : host.answer();
    }

    /**
     * Checks the peer's idle time, and pings it if that is due.
     *
     * @param gapNs the time since this worker's previous check, only part of which counts against the peer
     * @param connection the endpoint's socket; null if there is none
     */
    public Finding look(long nowNs, long gapNs, @Nullable SocketChannel connection) {
        excuse(gapNs);
        Finding finding = judge(nowNs, lookNs(nowNs), connection);
        if (finding != Finding.HOST_LOST && finding != Finding.STALLED_TOO_LONG && tryBeginPing(nowNs)) {
            ping();
        }
        return finding;
    }

    private Finding judge(long nowNs, long idleNs, @Nullable SocketChannel connection) {
        if (!isIdle(idleNs)) {
            end();
            if (stalledNs == 0) {
                return Finding.NOTHING;
            }
            return Finding.STALL_ENDED;
        }
        if (host == null && connection != null) {
            host = hosts.watch(connection);
        }
        if (isOverdue(idleNs) && hostAnswer() == HostAnswer.NONE) {
            return Finding.HOST_LOST;
        }
        if (isStalledTooLong(nowNs)) {
            return Finding.STALLED_TOO_LONG;
        }
        if (stalledNs > 0) {
            stalledNs = idleNs;
        } else if (isOverdue(idleNs) && isHostJudged()) {
            stalledNs = idleNs;
            return Finding.STALL_BEGAN;
        }
        return Finding.NOTHING;
    }

    /** Whether the host answers, or its state will never be known. */
    private boolean isHostJudged() {
        return host == null || (host.isAsked() && host.answer() != HostAnswer.AWAITED);
    }

    private void ping() {
        // An odd number is never the 0 of an answered ping.
        long sequence = System.nanoTime() | 1;
        if (channel.ping(sequence)) {
            pingNs = sequence;
        }
    }

    /** The end of a stall was reported. */
    public void forgetStall() {
        stalledNs = 0;
    }

    /** The peer's host need not be watched any more. Idempotent. */
    public void end() {
        if (host != null) {
            host.close();
            host = null;
        }
    }
}
