package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathClass;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.testkit.internal.RawHost;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Proofs, addresses and keys that a peer has made up: none reaches UCX, which would end the process for some of them. */
@Timeout(60)
final class ForgeryTest {
    private static final RegionProof REGION = new RegionProof(7, 1, 2);
    private static final int SIZE = 4096;

    private RawNode victim;
    private RawNode hostile;
    private UcxEndpoint victimEnd;
    private UcxEndpoint end;

    @BeforeEach
    void connect() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().toString());
        victim = new RawNode();
        hostile = new RawNode();
        victimEnd = victim.connect(new RawHost(3, 4, false), hostile.worker.address());
        end = hostile.connect(new RawHost(4, 3, true), victim.worker.address());
    }

    @AfterEach
    void close() {
        if (victim != null) {
            end.close();
            victimEnd.close();
            hostile.close();
            victim.close();
        }
    }

    @Test
    void shouldTakeTheProofOfThisConnectionAlone() {
        assumeWithinHost();
        byte[] proof = end.wireUpData();
        victimEnd.wireUp(proof);
        RawHost otherHost = new RawHost(10, 4, false);
        UcxEndpoint other = victim.connect(otherHost, hostile.worker.address());
        for (byte[] wrong : List.of(new byte[0], new byte[proof.length], Arrays.copyOf(proof, proof.length + 1))) {
            assertThrows(FairleadException.class, () -> victimEnd.wireUp(wrong));
        }
        for (int bit = 0; bit < proof.length * 8; bit++) {
            byte[] flipped = proof.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThrows(FairleadException.class, () -> victimEnd.wireUp(flipped), "bit " + bit);
        }
        // Overheard on another connection, sent back, and said again on a later one with the same numbers.
        assertProvesNothing(other, proof);
        assertProvesNothing(victimEnd, victimEnd.wireUpData());
        UcxEndpoint later = victim.connect(new RawHost(3, 4, false, 1), hostile.worker.address());
        assertProvesNothing(later, proof);
        later.close();
        other.close();
        end.wireUp(victimEnd.wireUpData());
    }

    private static void assertProvesNothing(UcxEndpoint endpoint, byte[] proof) {
        FairleadException refused = assertThrows(FairleadException.class, () -> endpoint.wireUp(proof));
        assertEquals(Reason.PROTOCOL_VIOLATION, refused.reason());
    }

    /** Whoever has the connection's key has not the host's, and does not speak for the worker whose address it has heard of. */
    @Test
    void shouldNotTakeTheSealOfAConnectionForAProcessOfThisHost() {
        assumeWithinHost();
        RawHost host = new RawHost(4, 3, true);
        byte[] seal = new WireUpSeal(host, hostile.address(), victim.address(), 0).own(WireUpSeal.HANDSHAKE, 0);
        assertProvesNothing(victimEnd, seal);
    }

    @Test
    void shouldRefuseForgedAddresses() {
        // Over UCX's tcp an address of another host is as good, and cannot be told from a made-up one.
        assumeWithinHost();
        byte[] genuine = hostile.worker.address();
        Random random = new Random(1);
        for (int i = 0; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= (byte) (1 << random.nextInt(8));
            assertThrows(
                    FairleadException.class, () -> victim.connect(new RawHost(9, 9, true), forged), "changed at " + i);
        }
        for (int length = 0; length < genuine.length; length++) {
            byte[] cut = Arrays.copyOf(genuine, length);
            assertThrows(FairleadException.class, () -> victim.connect(new RawHost(9, 9, true), cut));
        }
    }

    @Test
    void shouldNameWhyAnAddressIsRefused() {
        byte[] forged = hostile.worker.address();
        forged[forged.length - 1] ^= 1;
        FairleadException failure =
                assertThrows(FairleadException.class, () -> victim.connect(new RawHost(9, 9, true), forged));
        assertEquals(Reason.PROTOCOL_VIOLATION, failure.reason());
        assertEquals("the peer's UCX address was not made by this user on this host", failure.getMessage());
    }

    @Test
    void shouldNotLetUcxUnpackKeysWithinAHost() {
        assumeWithinHost();
        // UCX would end the process for a key whose memory is gone, or that was made up.
        RemoteMemory memory = end.unpack(new RegionKey(0x10, new byte[24]).encode(), REGION, SIZE);
        assertTrue(!(memory instanceof OneSidedMemory), memory::toString);
        memory.close();
    }

    @Test
    void shouldRefuseKeysThatAreCutOff() {
        for (int length = 1; length <= 8; length++) {
            byte[] cut = new byte[length];
            FairleadException failure =
                    assertThrows(FairleadException.class, () -> end.unpack(cut, REGION, SIZE), "length=" + length);
            assertEquals(Reason.MALFORMED_KEY, failure.reason());
        }
    }

    private static void assumeWithinHost() {
        assumeTrue(new UcxUnderTest().pathClass() == PathClass.SHARED_MEMORY, "the lanes leave the host");
    }
}
