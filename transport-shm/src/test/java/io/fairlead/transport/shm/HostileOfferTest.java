package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.testkit.internal.RawHost;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Offers of rings, addresses of workers and keys of regions that are forged, cut off, or of another connection. */
final class HostileOfferTest extends HostilePeerCases {
    private static final RegionProof PROOF = new RegionProof(REGION, 1, 2);

    @Test
    void shouldTakeTheOfferOfThisConnectionAlone() {
        byte[] genuine = end.wireUpData();
        RawHost otherHost = new RawHost(10, 4, false);
        ShmEndpoint other = (ShmEndpoint) victim.connect(otherHost, hostile.address(), connection);
        for (int i = 0; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= 1;
            assertOfferRefused(other, forged);
        }
        for (int length = 0; length < genuine.length; length++) {
            assertOfferRefused(other, Arrays.copyOf(genuine, length));
        }
        // Overheard on another connection, and sent back to where it came from.
        assertOfferRefused(other, genuine);
        assertOfferRefused(other, other.wireUpData());
        other.close();
        assertLives();
    }

    /** The numbers are the same, but the connection's secret is another. */
    @Test
    void shouldRefuseAnOfferThatIsReplayedOnALaterConnection() {
        byte[] genuine = end.wireUpData();
        RawHost laterHost = new RawHost(3, 4, false, 1);
        ShmEndpoint later = (ShmEndpoint) victim.connect(laterHost, hostile.address(), connection);
        assertOfferRefused(later, genuine);
        RawHost laterPeer = new RawHost(4, 3, true, 1);
        ShmEndpoint other = (ShmEndpoint) hostile.connect(laterPeer, victim.address(), connection);
        later.wireUp(other.wireUpData());
        other.close();
        later.close();
        assertLives();
    }

    /** A peer of a connection has its key, and so can seal what it likes; but it cannot write into the memory of others. */
    @Test
    void shouldRefuseTheRingOfAnotherConnectionWhoeverSealsTheOffer() {
        RawHost laterHost = new RawHost(10, 11, false, 1);
        RawHost laterPeer = new RawHost(11, 10, true, 1);
        ShmEndpoint later = (ShmEndpoint) victim.connect(laterHost, hostile.address(), connection);
        RingOffer.Sealer sealer = new RingOffer.Sealer(laterPeer);
        RingOffer live = Objects.requireNonNull(new RingOffer.Sealer(victimHost).read(end.wireUpData()));
        assertOfferRefused(later, sealer.make(live.key(), live.index()).encode());
        RingOffer own = Objects.requireNonNull(new RingOffer.Sealer(hostileHost).read(victimEnd.wireUpData()));
        assertOfferRefused(later, sealer.make(own.key(), own.index()).encode());
        byte[] otherProcess = ByteBuffer.wrap(live.key().clone()).putLong(0, 1).array();
        assertOfferRefused(later, sealer.make(otherProcess, live.index()).encode());
        later.close();
        assertLives();
    }

    private static void assertOfferRefused(ShmEndpoint endpoint, byte[] offer) {
        FairleadException refused = assertThrows(FairleadException.class, () -> endpoint.wireUp(offer));
        assertEquals(Reason.PROTOCOL_VIOLATION, refused.reason());
    }

    @Test
    void shouldRefuseForgedAddresses() {
        byte[] genuine = hostile.address();
        // Behind the address, where a wrong one only cannot be read, and the number of the process: that of another of
        // its threads names the same files.
        for (int i = 2 * Long.BYTES; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= 1;
            assertThrows(
                    FairleadException.class,
                    () -> victim.connect(new RawHost(9, 9, true), forged, connection),
                    "changed at " + i);
            assertNull(transport
                    .reach(victim.address(), transport.version(), forged)
                    .pathClass());
        }
        byte[] ofAnother =
                ByteBuffer.wrap(genuine.clone()).putLong(Long.BYTES, 1).array();
        assertNull(transport
                .reach(victim.address(), transport.version(), ofAnother)
                .pathClass());
        for (int length = 0; length < genuine.length; length++) {
            byte[] cut = Arrays.copyOf(genuine, length);
            assertThrows(FairleadException.class, () -> victim.connect(new RawHost(9, 9, true), cut, connection));
            assertNull(
                    transport.reach(victim.address(), transport.version(), cut).pathClass());
        }
        assertNotNull(
                transport.reach(victim.address(), transport.version(), genuine).pathClass());
        assertEquals(
                "shm versions differ: here " + transport.version() + ", peer 1.99",
                transport.reach(victim.address(), "1.99", genuine).reason());
    }

    @Test
    void shouldNameWhyMemoryOfAnEndedProcessIsNotReached() throws IOException {
        ReachProbe out = ReachProbe.create();
        byte[] address = WorkerAddress.encode(out);
        out.close();
        String reason =
                transport.reach(victim.address(), transport.version(), address).reason();
        assertTrue(reason.startsWith("the listener cannot map the connector's memory: "), reason);
    }

    @Test
    void shouldRefuseToAllocateWhatNoFileCanHold() {
        FairleadException failure = assertThrows(
                FairleadException.class,
                () -> transport.allocate(Long.MAX_VALUE - 63, EnumSet.allOf(AccessRight.class)));
        assertEquals(Reason.REGISTRATION_FAILED, failure.reason());
    }

    @Test
    void shouldRefuseForgedKeys() {
        RegisteredMemory own = transport.allocate(SIZE, EnumSet.allOf(AccessRight.class));
        assertNotNull(own);
        byte[] genuine = own.key();
        for (int i = 0; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= 1;
            if (i < Long.BYTES) {
                FairleadException failure =
                        assertThrows(FairleadException.class, () -> end.unpack(forged, PROOF, SIZE), "changed at " + i);
                assertEquals(Reason.MALFORMED_KEY, failure.reason());
            } else {
                assertFalse(end.unpack(forged, PROOF, SIZE) instanceof MappedMemory, "changed at " + i);
            }
        }
        for (int length = 1; length < genuine.length; length++) {
            byte[] cut = Arrays.copyOf(genuine, length);
            assertThrows(FairleadException.class, () -> end.unpack(cut, PROOF, SIZE), "cut to " + length);
        }
        for (long absurd : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 100}) {
            FairleadException failure = assertThrows(FairleadException.class, () -> end.unpack(genuine, PROOF, absurd));
            assertEquals(Reason.MALFORMED_KEY, failure.reason());
        }
        // A length that the file has not is not mapped, whoever says so.
        RemoteMemory longer = end.unpack(genuine, PROOF, 2 * SIZE);
        assertFalse(longer instanceof MappedMemory, "a region that is shorter than its key says");
        RemoteMemory right = end.unpack(genuine, PROOF, SIZE);
        assertInstanceOf(MappedMemory.class, right);
        right.close();
        own.close();
    }
}
