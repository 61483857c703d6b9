package io.fairlead.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.internal.providers.TransportProviders;
import io.fairlead.spi.RegionProof;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RegionTableTest {
    private final RegionTable table = new RegionTable(40);

    @Test
    void shouldFindARegionOnlyBetweenOpenAndRemove() {
        long id = table.reserve();
        assertNull(table.find(id));
        CoreRegion region = region(id);
        table.open(region);
        assertSame(region, table.find(id));
        table.remove(id);
        assertNull(table.find(id));
    }

    @Test
    void shouldNotFindTheSuccessorOfAClosedRegionByItsId() {
        long id = table.reserve();
        table.open(region(id));
        table.remove(id);
        long successor = table.reserve();
        table.open(region(successor));
        assertEquals(id & 0xFFFFF, successor & 0xFFFFF, "the place is used again");
        assertNotEquals(id, successor);
        assertNull(table.find(id));
    }

    @Test
    void shouldFindNothingUnderForgedIds() {
        table.open(region(table.reserve()));
        assertNull(table.find(0));
        assertNull(table.find(-1));
        assertNull(table.find(Long.MAX_VALUE));
    }

    @Test
    void shouldRefuseTheRegionBehindTheLimit() {
        List<CoreRegion> opened = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            CoreRegion region = region(table.reserve());
            table.open(region);
            opened.add(region);
        }
        FairleadException refused = assertThrows(FairleadException.class, table::reserve);
        assertEquals(FairleadException.Reason.LIMIT_REACHED, refused.reason());
        opened.forEach(region -> assertSame(region, table.find(region.id())));
        table.remove(opened.get(7).id());
        assertTrue(table.reserve() != 0, "a closed region makes room");
    }

    @Test
    void shouldNameTheRemedyWhenNoTransportIsPresent() {
        FairleadException none = assertThrows(
                FairleadException.class,
                () -> TransportProviders.with(List.of(), () -> Context.open(FairleadConfig.defaults())));
        assertTrue(none.getMessage().contains("fairlead-transport-tcp"), none.getMessage());
    }

    private static CoreRegion region(long id) {
        return new CoreRegion(
                null, new RegionProof(id, 1, 2), MemorySegment.NULL, Set.of(AccessRight.READ), "", Map.of(), () -> {});
    }
}
