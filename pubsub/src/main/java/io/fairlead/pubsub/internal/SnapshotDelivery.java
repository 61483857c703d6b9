package io.fairlead.pubsub.internal;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.SnapshotOptions;
import io.fairlead.pubsub.internal.Wire.Malformed;
import java.util.function.BooleanSupplier;

/**
 * The snapshot that comes before a stream: reads it out of the publisher's memory, then delivers what the subscription has not had, a part in
 * each turn.
 */
final class SnapshotDelivery {
    private final LiveSubscription subscription;
    private final JoinReply joined;
    private final SnapshotReader reader;
    private boolean selected;
    private int delivered;

    private SnapshotDelivery(LiveSubscription subscription, JoinReply joined, SnapshotReader reader) {
        this.subscription = subscription;
        this.joined = joined;
        this.reader = reader;
    }

    /**
     * Finds the snapshot; reads nothing yet.
     *
     * @param joined the publisher's answer, which names the snapshot
     * @throws FairleadException {@code UNSUPPORTED} if the subscription cannot have it, another reason if not over this connection
     */
    static SnapshotDelivery open(LiveSubscription subscription, Endpoint endpoint, JoinReply joined) throws Malformed {
        SnapshotOptions layout = joined.snapshot().orElseThrow(() -> new Malformed("answer lacks the snapshot"));
        long bytes = SnapshotLayout.totalBytes(layout);
        if (bytes > subscription.options().snapshotMax()) {
            throw new FairleadException(
                    Reason.UNSUPPORTED,
                    "snapshot is larger than the subscription accepts: topic=" + subscription.topic() + ", length="
                            + bytes + ", snapshotMax=" + subscription.options().snapshotMax()
                            + " bytes; raise SubscriptionOptions.snapshotMax");
        }
        RemoteKey key = endpoint.unpack(joined.snapshotKey());
        if (key.length() < bytes) {
            throw new Malformed(
                    "snapshot's memory region is too short: length=" + key.length() + ", expected=" + bytes);
        }
        return new SnapshotDelivery(
                subscription, joined, new SnapshotReader(endpoint, layout, key, joined.nextSequence()));
    }

    /**
     * Reads on.
     *
     * @return whether all of it has been read
     * @throws FairleadException if it cannot be read
     */
    boolean tryRead() {
        reader.progress();
        Status status = reader.status();
        if (status != Status.OK) {
            throw new FairleadException(
                    status == Status.UNSUPPORTED ? Reason.UNSUPPORTED : Reason.TRANSPORT,
                    "snapshot could not be read: topic=" + subscription.topic() + ", status=" + status);
        }
        return reader.complete();
    }

    /**
     * Delivers some of what has been read.
     *
     * @param limit how many values at most
     * @param isDelivering whether no handler has closed or paused anything meanwhile
     * @return how many values
     */
    int deliver(int limit, BooleanSupplier isDelivering) throws Malformed {
        SnapshotEntries values = reader.entries();
        if (!selected) {
            select(values);
        }
        int work = 0;
        while (delivered < values.count() && work < limit && isDelivering.getAsBoolean()) {
            int index = delivered;
            subscription.missUntil(values.sequence(index), GapCause.DISCONNECTED);
            if (!isDelivering.getAsBoolean()) {
                break;
            }
            delivered++;
            work++;
            subscription.deliver(
                    values.sequence(index),
                    values.segment(),
                    values.valueAt(index),
                    values.length(index),
                    MessageContext.EMPTY);
        }
        return work;
    }

    private void select(SnapshotEntries values) throws Malformed {
        values.select(joined.epoch(), subscription.passed(), joined.nextSequence());
        selected = true;
        if (values.isRun()) {
            subscription.startRun(values.sequence(0));
        }
    }

    /** Whether every value has been delivered. */
    boolean isDelivered() {
        return selected && delivered == reader.entries().count();
    }

    /** How many values have been delivered. */
    int delivered() {
        return delivered;
    }

    /** Frees the memory, now or as soon as the transport is done with it. Once only. */
    void retire() {
        reader.retire();
    }
}
