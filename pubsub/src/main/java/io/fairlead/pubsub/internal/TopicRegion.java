package io.fairlead.pubsub.internal;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;

/** Memory of a topic that its subscribers read. Its label allows reading to everyone who may subscribe to the topic. */
final class TopicRegion implements AutoCloseable {
    private final MemoryRegion region;
    /** For any subscriber, where all may have it. */
    private final byte[] packedKey;

    /**
     * Takes a region, and closes it if it has no key.
     *
     * @throws FairleadException as {@link MemoryRegion#packedKey()}
     */
    TopicRegion(MemoryRegion region) {
        this.region = region;
        try {
            this.packedKey = region.packedKey();
        } catch (FairleadException noKey) {
            region.close();
            throw noKey;
        }
    }

    /**
     * Allocates memory.
     *
     * @throws FairleadException as {@link Context#allocate}
     */
    static TopicRegion allocate(Context context, String topic, long bytes) {
        return new TopicRegion(context.allocate(bytes, EnumSet.of(AccessRight.READ), Authorizer.TOPIC_LABEL + topic));
    }

    MemorySegment segment() {
        return region.segment();
    }

    /** The longest key, which some subscriber may be given. */
    int keyBytes() {
        return packedKey.length;
    }

    /**
     * The key for a subscriber.
     *
     * @throws FairleadException if it may not have one, or the path cannot give it one
     */
    byte[] packedKey(Endpoint subscriber) {
        return subscriber.worker().context().authorizer().equals(Authorizer.ALL)
                ? packedKey
                : region.packedKey(subscriber);
    }

    /** Revokes the key and frees the memory. */
    @Override
    public void close() {
        region.close();
    }
}
