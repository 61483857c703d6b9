package io.fairlead.transport.tcp;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LocalRegion;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.testkit.internal.FakeOperation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The core's side of one endpoint: receives matched by tag, regions by id, and everything that was told. */
final class FakeEndpointHost implements EndpointHost {
    static final int EAGER_MAX = 64 << 10;

    /** A message that was announced. */
    static final class FakeArrival extends Arrival {
        final long tag;
        final long length;
        final Place place;

        @Nullable FakeOperation operation;

        boolean whole;

        FakeArrival(long tag, long length, Place place) {
            this.tag = tag;
            this.length = length;
            this.place = place;
        }

        @Override
        public @Nullable Operation operation() {
            return operation;
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
            whole = true;
        }
    }

    /** A region that counts those who hold it. */
    static final class FakeRegion implements LocalRegion {
        final MemorySegment segment;
        final Set<AccessRight> rights;
        int holders;

        FakeRegion(MemorySegment segment, Set<AccessRight> rights) {
            this.segment = segment;
            this.rights = rights;
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public boolean allows(AccessRight right) {
            return rights.contains(right);
        }

        @Override
        public void release() {
            holders--;
        }
    }

    final List<FakeOperation> receives = new ArrayList<>();
    final List<FakeArrival> unmatched = new ArrayList<>();
    /** The receives of eager active messages, and the headers of announced ones. */
    final List<FakeOperation> active = new ArrayList<>();

    final List<byte[]> headers = new ArrayList<>();
    final List<Long> signals = new ArrayList<>();
    final List<byte[]> controls = new ArrayList<>();
    final Map<Long, FakeRegion> regions = new HashMap<>();

    @Nullable TransportEndpoint endpoint;

    @Nullable FairleadException failure;

    boolean ended;
    int heard;
    boolean refuseArrivals;

    FakeRegion region(long id, MemorySegment segment, AccessRight... rights) {
        FakeRegion region =
                new FakeRegion(segment, rights.length == 0 ? EnumSet.allOf(AccessRight.class) : Set.of(rights));
        regions.put(id, region);
        return region;
    }

    /** Posts a receive, as the core does: a message that is here already is delivered at once. */
    void receive(FakeOperation receive) {
        for (FakeArrival arrival : unmatched) {
            if (arrival.tag == receive.tag()) {
                unmatched.remove(arrival);
                arrival.operation = receive;
                Objects.requireNonNull(endpoint, "endpoint").deliver(arrival);
                return;
            }
        }
        receives.add(receive);
    }

    @Override
    public @Nullable Arrival activeArrived(int number, int headerLength, long length) {
        if (refuseArrivals) {
            return null;
        }
        FakeOperation receive =
                FakeOperation.over(Arena.ofAuto().allocate(length)).tag(number);
        active.add(receive);
        FakeArrival arrival = new FakeArrival(number, length, Arrival.Place.EAGER);
        arrival.operation = receive;
        return arrival;
    }

    @Override
    public @Nullable Arrival activeAnnounced(
            int number, MemorySegment header, long offset, int headerLength, long length) {
        if (refuseArrivals) {
            return null;
        }
        headers.add(header.asSlice(offset, headerLength).toArray(ValueLayout.JAVA_BYTE));
        FakeArrival arrival = new FakeArrival(number, length, Arrival.Place.SENDER);
        unmatched.add(arrival);
        return arrival;
    }

    @Override
    public @Nullable Arrival arrived(long tag, long length, Arrival.Place place) {
        if (refuseArrivals) {
            return null;
        }
        FakeArrival arrival = new FakeArrival(tag, length, place);
        for (FakeOperation receive : receives) {
            if (receive.tag() == tag) {
                receives.remove(receive);
                arrival.operation = receive;
                return arrival;
            }
        }
        unmatched.add(arrival);
        return arrival;
    }

    @Override
    public void signalled(long value) {
        signals.add(value);
    }

    @Override
    public void control(ByteBuffer frame) {
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        controls.add(bytes);
    }

    @Override
    public void heard() {
        heard++;
    }

    @Override
    public void failed(FairleadException cause) {
        if (failure != null) {
            throw new AssertionError("failed twice", cause);
        }
        failure = cause;
    }

    @Override
    public void wakePeer() {
        // Nobody sleeps.
    }

    @Override
    public void ended() {
        ended = true;
    }

    /** Here every region may be asked for: who may is the core's question. */
    @Override
    public void admitRegion(RegionProof proof) {
        // Nothing is remembered.
    }

    @Override
    public @Nullable LocalRegion acquireRegion(long regionId) {
        FakeRegion region = regions.get(regionId);
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
    public byte[] pathKey(String label) {
        throw new UnsupportedOperationException("all of this transport is on the control connection");
    }

    @Override
    public int sourceId() {
        return 1;
    }

    @Override
    public boolean isConnector() {
        return true;
    }

    @Override
    public String label() {
        return "#1 to fake";
    }
}
