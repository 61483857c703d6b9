package io.fairlead.node.internal.set;

import io.fairlead.node.Peer;
import io.fairlead.node.PeerSelection;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.internal.peer.NodePeer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The connected members of the best priority, and which of them is next. The set's home publishes them, any thread picks. A pick allocates nothing and takes no
 * lock.
 */
final class ReadyMembers {
    /** The weight 1. A member of the weight 0 has 1 of these: RFC 2782 wants it to be picked seldom, but not never. */
    private static final long WEIGHT_ONE = 256;
    /** 2^64 over the golden ratio. Its multiples fill the numbers of 64 bits evenly, so picks follow the weights at once, not in the long run only. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final PeerSetOptions options;
    private final AtomicInteger cursor = new AtomicInteger();
    /** The lock of those who eject members. */
    private final Object ejecting = new Object();

    private volatile Ready ready = new Ready(List.of(), false);

    /** The members, and whether their weights differ. */
    private record Ready(List<SetMember> members, boolean weighted) {}

    ReadyMembers(PeerSetOptions options) {
        this.options = options;
    }

    // By the home's thread.

    /** Takes the connected ones of the best priority. */
    void publish(Collection<SetMember> all) {
        List<SetMember> connected =
                all.stream().filter(member -> member.peer() != null).toList();
        int best = connected.stream()
                .mapToInt(member -> member.member().priority())
                .min()
                .orElse(0);
        List<SetMember> members = connected.stream()
                .filter(member -> member.member().priority() == best)
                .toList();
        boolean weighted = members.stream()
                        .mapToInt(member -> member.member().weight())
                        .distinct()
                        .count()
                > 1;
        ready = new Ready(members, weighted);
    }

    // By any thread.

    boolean isEmpty() {
        return ready.members().isEmpty();
    }

    int size() {
        return ready.members().size();
    }

    /** The peers of those that operations may be called on. */
    List<Peer> peers() {
        List<Peer> usable = new ArrayList<>();
        for (SetMember member : ready.members()) {
            NodePeer peer = member.usable();
            if (peer != null) {
                usable.add(peer);
            }
        }
        return usable;
    }

    /** One that is not among those; null if there is none. An ejected one only where all are. */
    @Nullable SetMember pick(List<SetMember> besides) {
        Ready now = ready;
        List<SetMember> from = now.members();
        int count = from.size();
        if (count == 0) {
            return null;
        }
        int turn = cursor.getAndIncrement();
        int first = now.weighted() ? byWeight(from, besides, turn) : Math.floorMod(turn, count);
        SetMember best = null;
        SetMember ejected = null;
        boolean all = true;
        for (int i = 0; i < count; i++) {
            SetMember member = from.get((first + i) % count);
            if (member.usable() == null) {
                continue;
            }
            boolean isEjected = member.isEjected();
            all &= isEjected;
            if (besides.contains(member)) {
                continue;
            }
            if (isEjected) {
                ejected = member;
                continue;
            }
            if (options.selection() == PeerSelection.ROUND_ROBIN) {
                return member;
            }
            if (best == null || hasLess(member, best)) {
                best = member;
            }
        }
        return best == null && all ? ejected : best;
    }

    /** Whether a member has fewer operations in flight than another, for its weight. One of the weight 0 has too many in any case. */
    private static boolean hasLess(SetMember member, SetMember than) {
        int weight = member.member().weight();
        int otherWeight = than.member().weight();
        return weight == otherWeight
                ? member.inFlight() < than.inFlight()
                : otherWeight == 0 || (long) member.inFlight() * otherWeight < (long) than.inFlight() * weight;
    }

    private static long weight(SetMember member) {
        return Math.max(1, member.member().weight() * WEIGHT_ONE);
    }

    /** The index of the member whose turn it is: over many turns each has nearly the share of its weight. */
    private static int byWeight(List<SetMember> from, List<SetMember> besides, int turn) {
        long sum = 0;
        for (SetMember member : from) {
            sum += mayTake(member, besides) ? weight(member) : 0;
        }
        long left = Math.unsignedMultiplyHigh(turn * SPREAD, sum);
        for (int i = 0; i < from.size(); i++) {
            SetMember member = from.get(i);
            left -= mayTake(member, besides) ? weight(member) : 0;
            if (left < 0) {
                return i;
            }
        }
        // One that could take it a moment ago cannot any more.
        return 0;
    }

    private static boolean mayTake(SetMember member, List<SetMember> besides) {
        return member.usable() != null && !member.isEjected() && !besides.contains(member);
    }

    // Ejection.

    /** A member has answered a request. */
    void countAnswer(SetMember member) {
        if (options.ejectionFailures() > 0) {
            member.countAnswered();
        }
    }

    /** A request has failed at a member. Returns whether that is ejected by it: it was one too many, and at least half of the members stay. */
    boolean countFailure(SetMember member) {
        if (options.ejectionFailures() == 0 || member.countFailed() < options.ejectionFailures()) {
            return false;
        }
        synchronized (ejecting) {
            List<SetMember> from = ready.members();
            long ejected = from.stream().filter(SetMember::isEjected).count();
            if (member.isEjected() || (ejected + 1) * 2 > from.size()) {
                return false;
            }
            member.eject(options.ejectionTime().toNanos());
            return true;
        }
    }
}
