package io.fairlead.fuzz;

import io.fairlead.AccessRight;
import io.fairlead.ActiveMessage;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Worker;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LayerWorker;
import io.fairlead.spi.LocalRegion;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.TransportEndpoint;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The core's side of an endpoint whose peer keeps no rules. It has two regions, receives for some tags, and the core's own limits: what a transport may tell it,
 * and how often, is checked here.
 */
public final class FuzzHost implements EndpointHost {
    /** Small, so that what is longer is tried as well. */
    public static final int EAGER_MAX = 16 << 10;
    /** The tag of the receives that are posted. */
    public static final long TAG = 5;

    /** What a peer may send ahead of receives. */
    private static final int CREDIT_BYTES = 64 << 10;
    /** What even an empty message costs of that. */
    private static final int MESSAGE_COST = 64;

    private static final int KEY_LENGTH = 32;
    private static final int REGION_BYTES = 4096;
    private static final byte CANARY = 0x5A;

    private static final MemorySegment AROUND =
            Arena.global().allocate(3L * REGION_BYTES, 64).fill(CANARY);
    private static final MemorySegment MEMORY = AROUND.asSlice(REGION_BYTES, REGION_BYTES);
    private static final MemorySegment RECEIVED = Arena.global().allocate(4L * EAGER_MAX, 64);

    private final Region writable = new Region(Set.of(AccessRight.READ, AccessRight.WRITE, AccessRight.ATOMIC));
    private final Region readable = new Region(Set.of(AccessRight.READ));
    private final List<FuzzOperation> receives = new ArrayList<>();
    private final List<FuzzOperation> posted = new ArrayList<>();
    private final List<FuzzArrival> unmatched = new ArrayList<>();
    private long admitted;
    private boolean stopped;
    private @Nullable FairleadException failure;
    private boolean ended;

    /** A region that counts who holds it. */
    private static final class Region implements LocalRegion {
        private final Set<AccessRight> rights;
        private int holders;

        Region(Set<AccessRight> rights) {
            this.rights = rights;
        }

        @Override
        public MemorySegment segment() {
            return MEMORY;
        }

        @Override
        public boolean allows(AccessRight right) {
            return rights.contains(right);
        }

        @Override
        public void release() {
            holders--;
            Expect.that(holders >= 0, "a region was released more often than it was held");
        }
    }

    /** A message that a transport has told of. */
    private static final class FuzzArrival extends Arrival {
        private final long tag;
        private final long length;
        private @Nullable FuzzOperation receive;
        private boolean isWhole;

        FuzzArrival(long tag, long length) {
            this.tag = tag;
            this.length = length;
        }

        @Override
        public @Nullable Operation operation() {
            return receive;
        }

        @Override
        public long tag() {
            return tag;
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public void markWhole() {
            Expect.that(!isWhole, "a message became whole twice");
            isWhole = true;
        }
    }

    /** An operation of this side's, which has to end by the end of the run. */
    public FuzzOperation post(FuzzOperation operation) {
        posted.add(operation);
        return operation;
    }

    /** Posts a receive of so many bytes. */
    public void receive(int length) {
        receives.add(FuzzOperation.over(RECEIVED.asSlice(0, length), TAG));
    }

    /** Matches the messages that came before their receives. */
    public void deliver(TransportEndpoint endpoint) {
        for (FuzzArrival arrival : List.copyOf(unmatched)) {
            if (arrival.tag != TAG && !hasStopped()) {
                unmatched.remove(arrival);
                arrival.receive = post(FuzzOperation.over(RECEIVED.asSlice(0, EAGER_MAX / 2), arrival.tag));
                endpoint.deliver(arrival);
            }
        }
    }

    /** Whether the transport has nothing more to do for this endpoint but to close it. */
    public boolean hasStopped() {
        return failure != null || ended || stopped;
    }

    /** Ends a run, behind the close of the transport's endpoint: nothing is left, and nothing else was touched. */
    public void check(TransportEndpoint endpoint, Reason... allowed) {
        for (FuzzArrival arrival : unmatched) {
            endpoint.discard(arrival);
        }
        for (FuzzOperation operation : posted) {
            Expect.that(operation.hasEnded(), "an operation has not ended with its endpoint");
        }
        Expect.that(writable.holders == 0 && readable.holders == 0, "a region is still held");
        FairleadException cause = failure;
        if (cause != null) {
            Expect.refusal(cause, allowed);
        }
        for (long at = 0; at < REGION_BYTES; at += Long.BYTES) {
            Expect.that(
                    AROUND.get(ValueLayout.JAVA_LONG, at) == 0x5A5A_5A5A_5A5A_5A5AL
                            && AROUND.get(ValueLayout.JAVA_LONG, 2L * REGION_BYTES + at) == 0x5A5A_5A5A_5A5A_5A5AL,
                    "something was written beside a region");
        }
    }

    @Override
    public @Nullable Arrival arrived(long tag, long length, Arrival.Place place) {
        Expect.that(!stopped, "a transport reads on from a peer that broke a rule");
        long cost = Math.max(length, MESSAGE_COST);
        // The core's own rules: it fails the endpoint, and the transport has to stop.
        if (length < 0
                || (tag & ~Worker.TAG_MAX) != 0
                || (place == Arrival.Place.EAGER && (length > EAGER_MAX || admitted + cost > CREDIT_BYTES))) {
            stopped = true;
            return null;
        }
        FuzzArrival arrival = new FuzzArrival(tag, length);
        if (tag == TAG && !receives.isEmpty()) {
            arrival.receive = post(receives.removeFirst());
            return arrival;
        }
        if (place == Arrival.Place.EAGER) {
            admitted += cost;
        }
        if (unmatched.size() >= CREDIT_BYTES / MESSAGE_COST) {
            stopped = true;
            return null;
        }
        unmatched.add(arrival);
        return arrival;
    }

    @Override
    public @Nullable Arrival activeArrived(int number, int headerLength, long length) {
        long payload = length - headerLength;
        if (!mayArrive(number, headerLength, payload) || payload > EAGER_MAX || admitted + length > CREDIT_BYTES) {
            stopped = true;
            return null;
        }
        admitted += Math.max(length, MESSAGE_COST);
        FuzzArrival arrival = new FuzzArrival(0, length);
        arrival.receive = post(FuzzOperation.over(RECEIVED.asSlice(0, length), 0));
        return arrival;
    }

    @Override
    public @Nullable Arrival activeAnnounced(
            int number, MemorySegment header, long offset, int headerLength, long length) {
        if (!mayArrive(number, headerLength, length)
                || length <= EAGER_MAX
                || unmatched.size() >= CREDIT_BYTES / MESSAGE_COST) {
            stopped = true;
            return null;
        }
        MemorySegment.copy(header, offset, RECEIVED, 0, headerLength);
        FuzzArrival arrival = new FuzzArrival(0, length);
        unmatched.add(arrival);
        return arrival;
    }

    private boolean mayArrive(int number, int headerLength, long length) {
        Expect.that(!stopped, "a transport reads on from a peer that broke a rule");
        return length >= 0
                && headerLength >= 0
                && headerLength <= ActiveMessage.HEADER_MAX
                && number >= 0
                && number <= LayerWorker.LAYER_HANDLER_MAX;
    }

    @Override
    public void signalled(long value) {
        // Any value is one.
    }

    @Override
    public void control(ByteBuffer frame) {
        Expect.that(frame.remaining() <= 1 << 16, "a control frame is longer than one can be");
    }

    @Override
    public void heard() {
        // Nobody listens.
    }

    @Override
    public void failed(FairleadException cause) {
        Expect.that(failure == null, "an endpoint failed twice");
        failure = cause;
    }

    @Override
    public void ended() {
        ended = true;
    }

    @Override
    public void wakePeer() {
        // Nobody sleeps.
    }

    @Override
    public @Nullable LocalRegion acquireRegion(long regionId) {
        Region region = regionId == 1 ? writable : regionId == 2 ? readable : null;
        if (region != null) {
            region.holders++;
        }
        return region;
    }

    @Override
    public int eagerMax() {
        return EAGER_MAX;
    }

    @Override
    public int id() {
        return 1;
    }

    @Override
    public int sourceId() {
        return 2;
    }

    @Override
    public byte[] pathKey(String label) {
        return new byte[KEY_LENGTH];
    }

    @Override
    public void admitRegion(RegionProof proof) {
        // Whether a key is good is the core's business; a peer that guesses is let in here, so that more is tried.
    }

    @Override
    public boolean isConnector() {
        return true;
    }

    @Override
    public String label() {
        return "#1 to hostile";
    }
}
