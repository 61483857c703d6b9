package io.fairlead.internal.access;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The number of handshakes per peer and second. It remembers a bounded number of peers, the most recent ones.
 * Thread-safe.
 */
final class HandshakeRate {
    private static final long SECOND_NS = 1_000_000_000;
    private static final int PEERS_MAX = 4096;

    private static final class Second {
        private long beganNs;
        private int count;
    }

    /** 0 for no limit. */
    private final int max;

    private final Map<Object, Second> seconds = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Second> eldest) {
            return size() > PEERS_MAX;
        }
    };

    HandshakeRate(int max) {
        this.max = max;
    }

    /** Counts a handshake; false if the peer has reached the limit of this second. */
    boolean tryCount(Object peer, long nowNs) {
        if (max == 0) {
            return true;
        }
        synchronized (seconds) {
            Second second = seconds.computeIfAbsent(peer, _ -> new Second());
            if (second.count == 0 || nowNs - second.beganNs >= SECOND_NS) {
                second.beganNs = nowNs;
                second.count = 0;
            }
            if (second.count >= max) {
                return false;
            }
            second.count++;
            return true;
        }
    }

    int max() {
        return max;
    }
}
