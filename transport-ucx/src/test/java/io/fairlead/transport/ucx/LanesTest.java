package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.PathClass;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the lanes of two sides make of each other. */
@Timeout(60)
final class LanesTest {
    private static final RdmaHost NONE = RdmaHost.none("no RDMA device");
    private static final RdmaHost ROCE = host("Ethernet");
    private static final RdmaHost INFINIBAND = host("InfiniBand");

    @Test
    void shouldTakeMemoryWithinAHostAndRdmaBetweenHosts() {
        Lanes lanes = Lanes.of("posix,self,rc,ud", ROCE);
        assertEquals(PathClass.SHARED_MEMORY, path(lanes, lanes, true));
        assertEquals(PathClass.RDMA, path(lanes, lanes, false));
    }

    @Test
    void shouldTakeRdmaWithinAHostThatMayShareNoMemory() {
        Lanes lanes = Lanes.of("rc_verbs,ud_verbs,self", ROCE);
        assertEquals(PathClass.RDMA, path(lanes, lanes, true));
        assertEquals(List.of("rc_verbs", "ud_verbs"), lanes.names(PathClass.RDMA));
        assertEquals(List.of("self"), lanes.names(PathClass.SHARED_MEMORY));
    }

    @Test
    void shouldNotTakeTheNameOfATransportForADevice() {
        Lanes lanes = Lanes.of("rc_verbs,ud_verbs,self", NONE);
        assertFalse(lanes.rdma());
        assertEquals(Lanes.Route.NONE, lanes.route(Lanes.of("rc,ud", ROCE), false));
    }

    @Test
    void shouldNotConnectInfiniBandWithRoce() {
        Lanes roce = Lanes.of("rc,ud", ROCE);
        Lanes infiniband = Lanes.of("rc,ud", INFINIBAND);
        assertEquals(Lanes.Route.NONE, roce.route(infiniband, false));
        assertEquals(Lanes.Route.RDMA, infiniband.route(infiniband, false));
    }

    @Test
    void shouldNotTakeRdmaWhereUcxMightCopyWithinTheHostInstead() {
        for (String own : List.of("cma", "knem")) {
            Lanes lanes = Lanes.of("rc,ud," + own, ROCE);
            assertEquals(Lanes.Route.NONE, lanes.route(lanes, true), own);
            assertEquals(Lanes.Route.NONE, lanes.route(Lanes.of("rc,posix", ROCE), true), own);
            assertEquals(Lanes.Route.RDMA, lanes.route(lanes, false), own);
            assertEquals(Lanes.Route.RDMA, lanes.route(Lanes.of("rc,ud", ROCE), true), own);
        }
    }

    @Test
    void shouldKnowTheNamesThatUcxHasForSharedMemory() {
        for (String name : List.of("posix", "sysv", "xpmem", "mm", "sm", "shm")) {
            Lanes lanes = Lanes.of("rc,ud," + name, ROCE);
            assertEquals(Lanes.Route.SHARED_MEMORY, lanes.route(lanes, true), name);
        }
    }

    @Test
    void shouldTellAPeerAllThatItNeeds() {
        for (RdmaHost host : List.of(NONE, ROCE, INFINIBAND)) {
            Lanes lanes = Lanes.of("posix,cma,rc,tcp", host);
            Lanes read = Lanes.ofBits(lanes.bits());
            assertEquals(
                    List.of(lanes.memory(), lanes.copies(), lanes.infiniband(), lanes.roce(), lanes.tcp()),
                    List.of(read.memory(), read.copies(), read.infiniband(), read.roce(), read.tcp()));
        }
    }

    @Test
    void shouldReadAWorkerAddressAsItWasWritten() {
        Lanes lanes = Lanes.of("rc,ud", ROCE);
        WorkerAddress read = WorkerAddress.decode(
                WorkerAddress.of(-7, lanes, "rxe0", new byte[] {1, 2, 3}).encode());
        assertTrue(read != null && read.isHere() && read.lanes().roce());
        assertEquals(-7, read.worker());
        assertEquals("rxe0", read.rdma());
        assertEquals(3, read.address().length);
    }

    @Test
    void shouldReadNoWorkerAddressThatIsCutOff() {
        byte[] whole = WorkerAddress.of(1, Lanes.of("self", NONE), "no RDMA device", new byte[] {1})
                .encode();
        for (int length = 0; length < whole.length; length++) {
            assertNull(WorkerAddress.decode(Arrays.copyOf(whole, length)), "length=" + length);
        }
    }

    @Test
    void shouldKeepALineOfAPeersOneLine() {
        WorkerAddress read = WorkerAddress.decode(
                WorkerAddress.of(1, Lanes.of("self", NONE), "a\nb" + "c".repeat(1000), new byte[] {1})
                        .encode());
        assertTrue(read != null && read.rdma().startsWith("a?b") && read.rdma().length() <= 241);
    }

    private static PathClass path(Lanes here, Lanes there, boolean sameHost) {
        return Lanes.pathClass(here.route(there, sameHost));
    }

    private static RdmaHost host(String linkLayer) {
        RdmaPort port = new RdmaPort(
                "dev0", "1", "ACTIVE", "LinkUp", linkLayer, "100 Gb/sec", List.of(new RdmaPort.Gid("RoCE v2", "eth0")));
        return new RdmaHost(List.of(port), false, "");
    }
}
