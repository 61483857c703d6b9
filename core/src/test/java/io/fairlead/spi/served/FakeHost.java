package io.fairlead.spi.served;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LocalRegion;
import io.fairlead.spi.RegionProof;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** The core's side of one endpoint, as far as served memory needs it: regions by id, and the signals that were delivered. */
final class FakeHost implements EndpointHost {
    private record Region(FakeHost host, MemorySegment segment, Set<AccessRight> rights) implements LocalRegion {
        @Override
        public boolean allows(AccessRight right) {
            return rights.contains(right);
        }

        @Override
        public void release() {
            host.holders--;
        }
    }

    private final Map<Long, Region> regions = new HashMap<>();
    private final Set<Long> admitted = new HashSet<>();
    final List<Long> signals = new ArrayList<>();
    int holders;
    LongConsumer onSignal = _ -> {};

    void region(long id, MemorySegment segment, AccessRight... rights) {
        Set<AccessRight> all = EnumSet.allOf(AccessRight.class);
        regions.put(id, new Region(this, segment, rights.length == 0 ? all : Set.of(rights)));
    }

    /** What the key of a region says. */
    static RegionProof proof(long id) {
        return new RegionProof(id, ~id, 31 * id);
    }

    void close(long id) {
        regions.remove(id);
    }

    @Override
    public void admitRegion(RegionProof proof) {
        if (proof.equals(proof(proof.regionId()))) {
            admitted.add(proof.regionId());
        }
    }

    @Override
    public @Nullable LocalRegion acquireRegion(long regionId) {
        Region region = admitted.contains(regionId) ? regions.get(regionId) : null;
        if (region != null) {
            holders++;
        }
        return region;
    }

    @Override
    public void signalled(long value) {
        signals.add(value);
        onSignal.accept(value);
    }

    @Override
    public String label() {
        return "#1 to fake";
    }

    @Override
    public @Nullable Arrival arrived(long tag, long length, Arrival.Place place) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Arrival activeArrived(int number, int headerLength, long length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Arrival activeAnnounced(int number, MemorySegment header, long offset, int headerLength, long length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void control(ByteBuffer frame) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void heard() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void failed(FairleadException cause) {
        throw new UnsupportedOperationException("failing is the transport's", cause);
    }

    @Override
    public void ended() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void wakePeer() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int eagerMax() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int id() {
        return 1;
    }

    @Override
    public int sourceId() {
        return 1;
    }

    @Override
    public byte[] pathKey(String label) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isConnector() {
        return true;
    }
}
