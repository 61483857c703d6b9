package io.fairlead.internal.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.RegionProof;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SealedKeyTest {
    private static final byte[] PACKED = new PackedKey(
                    1, new RegionProof(2, 0, 0), 64, Set.of(AccessRight.READ), Map.of("tcp", new byte[] {1, 2, 3}))
            .encode(KeySecret.random());
    private static final byte[] OURS = key(1);
    private static final byte[] OTHERS = key(2);

    private static byte[] key(int value) {
        byte[] key = new byte[32];
        Arrays.fill(key, (byte) value);
        return key;
    }

    private static Reason refusal(byte[] sealed, byte[] connectionKey) {
        return assertThrows(FairleadException.class, () -> SealedKey.open(sealed, connectionKey))
                .reason();
    }

    @Test
    void shouldOpenWhatWasSealedForTheConnection() {
        byte[] sealed = SealedKey.seal(PACKED, OURS);

        assertTrue(SealedKey.is(sealed));
        assertFalse(SealedKey.is(PACKED));
        assertArrayEquals(PACKED, SealedKey.open(sealed, OURS));
    }

    @Test
    void shouldSealTheSameKeyToOtherBytesEachTime() {
        assertFalse(Arrays.equals(SealedKey.seal(PACKED, OURS), SealedKey.seal(PACKED, OURS)));
    }

    @Test
    void shouldNotOpenWhatIsOfAnotherConnection() {
        assertEquals(Reason.STALE_KEY, refusal(SealedKey.seal(PACKED, OTHERS), OURS));
    }

    @Test
    void shouldFindEachBitThatWasChanged() {
        byte[] sealed = SealedKey.seal(PACKED, OURS);
        for (int bit = 0; bit < sealed.length * Byte.SIZE; bit++) {
            byte[] changed = sealed.clone();
            changed[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
            Reason reason = refusal(changed, OURS);
            assertEquals(bit < 8 * Byte.SIZE ? Reason.MALFORMED_KEY : Reason.STALE_KEY, reason, "bit " + bit);
        }
    }

    @Test
    void shouldRefuseBytesThatAreTooFewOrTooMany() {
        byte[] sealed = SealedKey.seal(PACKED, OURS);

        for (int length = 0; length < sealed.length; length++) {
            assertEquals(Reason.MALFORMED_KEY, refusal(Arrays.copyOf(sealed, length), OURS), "length " + length);
        }
        assertEquals(Reason.MALFORMED_KEY, refusal(Arrays.copyOf(sealed, sealed.length + 1), OURS));
        assertEquals(Reason.MALFORMED_KEY, refusal(new byte[1 << 20], OURS));
    }
}
