package io.fairlead.testkit.layers;

import io.fairlead.FairleadException;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.testkit.contract.Pattern;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Records the callbacks of a subscription, and checks the rules of every subscription. Sequence numbers rise. Each message holds the bytes
 * that belong to its number. Every number between the first and the last was either delivered or reported as missed.
 */
final class TopicRecorder implements MessageHandler, SubscriptionEvents {
    /** A gap as it was reported. */
    record Gap(long first, long last, GapCause cause) {}

    private final long seed;
    private final List<String> violations = new ArrayList<>();
    private final List<Long> sequences = new ArrayList<>();
    private final List<Gap> gaps = new ArrayList<>();
    private final List<Long> joins = new ArrayList<>();
    private final List<Long> restarts = new ArrayList<>();
    private final List<Integer> snapshots = new ArrayList<>();
    private final List<FairleadException> disconnects = new ArrayList<>();
    private final List<FairleadException> ends = new ArrayList<>();
    private long passed;
    private boolean inSnapshot;
    private boolean snapshotWanted;
    private boolean snapshotOfRun;
    private boolean snapshotBegun;

    /** The seed of the patterns that the case publishes on the topic. */
    TopicRecorder(long seed) {
        this.seed = seed;
    }

    /** Permits holes up to the end of the snapshot. */
    TopicRecorder withSnapshot() {
        snapshotWanted = true;
        return this;
    }

    /** Permits a hole before the first message of the snapshot, and none up to its end. */
    TopicRecorder withSnapshotOfRun() {
        snapshotOfRun = true;
        return withSnapshot();
    }

    @Override
    public void message(String topic, long sequence, MemorySegment buffer, long offset, long length) {
        boolean mayJump = inSnapshot && sequence > passed && !(snapshotOfRun && snapshotBegun);
        if (passed >= 0 && sequence != passed + 1 && !mayJump) {
            violations.add("message " + sequence + " after " + passed);
        }
        snapshotBegun = inSnapshot;
        try {
            Pattern.verify(buffer, offset, length, seed + sequence);
        } catch (AssertionError e) {
            violations.add("message " + sequence + " has other bytes than were published: " + e.getMessage());
        }
        passed = sequence;
        sequences.add(sequence);
    }

    @Override
    public void joined(Subscription subscription, long nextSequence) {
        joins.add(nextSequence);
        inSnapshot = snapshotWanted;
        snapshotBegun = false;
        if (joins.size() == 1) {
            passed = inSnapshot ? 0 : nextSequence - 1;
        }
    }

    @Override
    public void snapshotDelivered(Subscription subscription, int messages) {
        snapshots.add(messages);
        if (snapshotOfRun && snapshotBegun && passed != joins.getLast() - 1) {
            violations.add("snapshot ends at " + passed + ", stream begins at " + joins.getLast());
        }
        inSnapshot = false;
        passed = joins.getLast() - 1;
    }

    @Override
    public void gap(Subscription subscription, long firstSequence, long lastSequence, GapCause cause) {
        if (firstSequence != passed + 1 || lastSequence < firstSequence) {
            violations.add("gap " + firstSequence + " to " + lastSequence + " after " + passed);
        }
        gaps.add(new Gap(firstSequence, lastSequence, cause));
        passed = lastSequence;
    }

    @Override
    public void restarted(Subscription subscription, long lastSequence, long nextSequence) {
        restarts.add(lastSequence);
        passed = inSnapshot ? 0 : nextSequence - 1;
    }

    @Override
    public void disconnected(Subscription subscription, FairleadException cause) {
        disconnects.add(cause);
    }

    @Override
    public void ended(Subscription subscription, FairleadException cause) {
        ends.add(cause);
    }

    /** A message that holds no pattern. */
    void note(long sequence) {
        sequences.add(sequence);
    }

    List<String> violations() {
        return violations;
    }

    List<Long> sequences() {
        return sequences;
    }

    /** The last sequence number that was delivered; 0 if none was. */
    long last() {
        return sequences.isEmpty() ? 0 : sequences.getLast();
    }

    /** The last sequence number that was delivered or reported as missed. */
    long passed() {
        return passed;
    }

    int count() {
        return sequences.size();
    }

    List<Gap> gaps() {
        return gaps;
    }

    long missed() {
        return gaps.stream().mapToLong(gap -> gap.last() - gap.first() + 1).sum();
    }

    List<Long> joins() {
        return joins;
    }

    List<Long> restarts() {
        return restarts;
    }

    List<Integer> snapshots() {
        return snapshots;
    }

    List<FairleadException> disconnects() {
        return disconnects;
    }

    List<FairleadException> ends() {
        return ends;
    }

    @Override
    public String toString() {
        return "received " + count() + ", passed " + passed + ", gaps " + tail(gaps) + ", joins " + tail(joins)
                + ", disconnects " + tail(disconnects) + ", ends " + tail(ends);
    }

    private static String tail(List<?> all) {
        return all.size() + " to " + all.subList(Math.max(0, all.size() - 3), all.size());
    }
}
