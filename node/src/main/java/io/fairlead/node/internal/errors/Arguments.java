package io.fairlead.node.internal.errors;

import io.fairlead.Worker;
import io.fairlead.node.discovery.Member;
import java.net.InetSocketAddress;
import java.time.Duration;

/** What is checked on the caller's thread, where the exception helps most. */
public final class Arguments {
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

    private Arguments() {}

    public static void tag(long tag) {
        if ((tag & ~Worker.TAG_MAX) != 0) {
            throw new IllegalArgumentException("tag out of range: tag=" + tag + ", allowed 0 to " + Worker.TAG_MAX);
        }
    }

    public static void tagMask(long tagMask) {
        if ((tagMask & ~Worker.FULL_TAG_MASK) != 0) {
            throw new IllegalArgumentException(
                    "tag mask out of range: tagMask=" + tagMask + ", allowed 0 to " + Worker.FULL_TAG_MASK);
        }
    }

    public static void maxLength(long maxLength) {
        if (maxLength < 0) {
            throw new IllegalArgumentException(
                    "limit out of range: maxLength=" + maxLength + " bytes, allowed 0 and up");
        }
    }

    /** Refuses to register an address that others cannot use. */
    public static void reachable(Member member) {
        InetSocketAddress address = member.address();
        boolean wildcard = address.getAddress() != null && address.getAddress().isAnyLocalAddress();
        if (wildcard || address.getPort() == 0) {
            throw new IllegalArgumentException("others do not reach this address: member=" + member
                    + "; register the host's own address, and the port that the listener has");
        }
    }

    /** The nanoseconds of a time-out, or as many as can be added to a clock. */
    public static long timeoutNs(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("time-out out of range: timeout=" + timeout + ", allowed 0 and up");
        }
        return timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : timeout.toNanos();
    }

    public static void aligned(long offset) {
        if ((offset & (Long.BYTES - 1)) != 0) {
            throw new IllegalArgumentException("atomic needs an aligned word: offset=" + offset
                    + ", must be a multiple of " + Long.BYTES + " bytes");
        }
    }
}
