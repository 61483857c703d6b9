package io.fairlead.internal.liveness;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether the hosts of idle peers are alive, for all workers of a context and without their help or the
 * peers': the kernel reports whether the other side's kernel answers. Reads the system's table of connections on a
 * separate thread, because reading a large table takes longer than a worker may stall. The thread exists only while a
 * peer is idle. Thread-safe.
 */
public final class HostWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostWatch.class);
    private static final long SHORTEST_NS = 10_000_000;
    private static final long LONGEST_NS = 1_000_000_000;
    /** Pauses per duration of a read: a large table takes at most a tenth of a processor. */
    private static final int PAUSES = 9;

    private static final long JOIN_MS = 1_000;

    private final SocketTable table;
    private final ThreadFactory threads;
    private final long intervalNs;
    private final Map<String, WatchedHost> watched = new HashMap<>();
    private @Nullable Thread thread;
    private boolean complained;

    /**
     * Creates a watch without connections.
     *
     * @param name the context's name, for the thread
     * @param livenessNs the maximum time to detect a lost host
     */
    public HostWatch(String name, long livenessNs) {
        this(SocketTable.ofSystem(), threads(name), livenessNs);
    }

    HostWatch(SocketTable table, ThreadFactory threads, long livenessNs) {
        this.table = table;
        this.threads = threads;
        this.intervalNs = Math.clamp(livenessNs / 8, SHORTEST_NS, LONGEST_NS);
    }

    static ThreadFactory threads(String name) {
        return Thread.ofPlatform().daemon().name("fairlead-hosts-" + name).factory();
    }

    /**
     * Begins to watch a connection.
     *
     * @param connection its socket
     * @return the result, updated until it is closed; stays unknown for an unconnected socket, or if the process can
     *     start no thread
     */
    public WatchedHost watch(SocketChannel connection) {
        String key = "";
        try {
            if (connection.getLocalAddress() instanceof InetSocketAddress local
                    && connection.getRemoteAddress() instanceof InetSocketAddress remote) {
                key = SocketTable.key(local, remote);
            }
        } catch (IOException closed) {
            LOG.debug("a connection ended before its host was looked for", closed);
        }
        WatchedHost host = new WatchedHost(key, this::end);
        synchronized (this) {
            watched.put(key, host);
            if (thread == null && !tryStart()) {
                host.update(HostAnswer.UNKNOWN);
            }
        }
        return host;
    }

    /** This runs inside a worker's progress, which a lack of threads must not end. A later watch tries again. */
    private boolean tryStart() {
        try {
            Thread started = threads.newThread(this::run);
            started.start();
            thread = started;
            return true;
        } catch (OutOfMemoryError noThread) {
            complain(noThread);
            return false;
        }
    }

    private synchronized void end(WatchedHost host) {
        watched.remove(host.key(), host);
        if (watched.isEmpty()) {
            notifyAll();
        }
    }

    private void run() {
        try {
            watch();
        } catch (Throwable failure) {
            complain(failure);
        } finally {
            ended(Thread.currentThread());
        }
    }

    /** The thread has ended, for whatever reason: its connections stay unknown, and a later watch starts another. */
    private synchronized void ended(Thread watching) {
        if (watching.equals(thread)) {
            thread = null;
            watched.values().forEach(host -> host.update(HostAnswer.UNKNOWN));
        }
    }

    private void watch() {
        for (Map<String, WatchedHost> hosts = next(0); !hosts.isEmpty(); ) {
            long beganNs = System.nanoTime();
            look(hosts);
            hosts = next(Math.max(intervalNs, PAUSES * (System.nanoTime() - beganNs)));
        }
    }

    /** The connections to look for after a pause; empty if the thread must end, which a later watch then restarts. */
    private synchronized Map<String, WatchedHost> next(long pauseNs) {
        long untilNs = System.nanoTime() + pauseNs;
        try {
            for (long leftNs = pauseNs; leftNs > 0 && !watched.isEmpty(); leftNs = untilNs - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, leftNs);
            }
        } catch (InterruptedException unknown) {
            // Only the end of all watches ends this thread, not an interrupt.
            LOG.debug("the watch of hosts was interrupted", unknown);
        }
        if (watched.isEmpty()) {
            thread = null;
        }
        return Map.copyOf(watched);
    }

    private void look(Map<String, WatchedHost> hosts) {
        Map<String, HostAnswer> found = Map.of();
        try {
            found = table.read(Set.copyOf(hosts.keySet()));
        } catch (IOException | RuntimeException | Error failure) {
            // Including a temporary lack of memory: nothing restarts the thread while hosts are watched.
            complain(failure);
        }
        for (WatchedHost host : hosts.values()) {
            host.update(found.getOrDefault(host.key(), HostAnswer.UNKNOWN));
        }
    }

    private synchronized void complain(Throwable cause) {
        if (!complained) {
            complained = true;
            LOG.debug("the hosts of idle peers cannot be watched; stall.timeout alone ends their endpoints", cause);
        }
    }

    /** Ends all watches, and waits briefly for the thread. Idempotent. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            watched.clear();
            notifyAll();
            running = thread;
        }
        if (running == null) {
            return;
        }
        try {
            running.join(JOIN_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
