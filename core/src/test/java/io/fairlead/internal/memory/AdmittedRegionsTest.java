package io.fairlead.internal.memory;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.fairlead.AccessRight;
import io.fairlead.spi.RegionProof;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one peer may ask for: the regions whose keys it has shown, and no other. */
@Timeout(60)
final class AdmittedRegionsTest {
    private static final int COUNT = 1000;

    private final RegionTable table = new RegionTable(4 * COUNT);
    private final AdmittedRegions admitted = new AdmittedRegions(table);

    private CoreRegion open() {
        RegionProof proof = proof(table.reserve());
        CoreRegion region =
                new CoreRegion(null, proof, MemorySegment.NULL, Set.of(AccessRight.READ), "", Map.of(), () -> {});
        table.open(region);
        return region;
    }

    private static RegionProof proof(long id) {
        return new RegionProof(id, ~id, 31 * id);
    }

    @Test
    void shouldFindNoRegionWhoseKeyWasNotShown() {
        CoreRegion region = open();
        long id = region.id();
        assertNull(admitted.find(id));
        admitted.admit(proof(open().id()));
        assertNull(admitted.find(id));
        admitted.admit(proof(id));
        assertSame(region, admitted.find(id));
    }

    @Test
    void shouldIgnoreAProofThatDiffersInOneBit() {
        long id = open().id();
        RegionProof right = proof(id);
        for (int bit = 0; bit < Long.SIZE; bit++) {
            admitted.admit(new RegionProof(id, right.high() ^ 1L << bit, right.low()));
            admitted.admit(new RegionProof(id, right.high(), right.low() ^ 1L << bit));
            admitted.admit(new RegionProof(id ^ 1L << bit, right.high(), right.low()));
            assertNull(admitted.find(id), "bit " + bit);
        }
        admitted.admit(new RegionProof(0, 0, 0));
        assertNull(admitted.find(0));
    }

    @Test
    void shouldFindAllAmongThoseThatWereClosedMeanwhile() {
        List<CoreRegion> kept = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            CoreRegion stays = open();
            CoreRegion goes = open();
            admitted.admit(proof(stays.id()));
            admitted.admit(proof(stays.id()));
            admitted.admit(proof(goes.id()));
            assertSame(goes, admitted.find(goes.id()));
            table.remove(goes.id());
            assertNull(admitted.find(goes.id()));
            kept.add(stays);
        }
        CoreRegion stranger = open();
        kept.forEach(region -> assertSame(region, admitted.find(region.id())));
        assertNull(admitted.find(stranger.id()));
    }
}
