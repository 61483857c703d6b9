package io.fairlead.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.spi.RegionProof;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A key is understood or answered with a failure that has a name; the seed is fixed so that a failure repeats. */
@Timeout(120)
final class KeyFuzzTest {
    private static final int ROUNDS = 20_000;

    @Test
    void shouldSurviveForgedKeysWithGoodChecksums() {
        Random random = new Random(4);
        byte[] packed = new PackedKey(
                        1,
                        new RegionProof(2, 3, 4),
                        4096,
                        Set.of(AccessRight.READ, AccessRight.WRITE),
                        Map.of("tcp", new byte[8], "ucx", new byte[40]))
                .encode(KeySecret.NONE);
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] forged = Arrays.copyOf(packed, Math.max(0, packed.length - random.nextInt(8)));
            for (int change = random.nextInt(4); change >= 0; change--) {
                forged[random.nextInt(forged.length)] = (byte) random.nextInt();
            }
            seal(forged);
            try {
                PackedKey key = PackedKey.decode(forged);
                assertEquals(key, PackedKey.decode(key.encode(KeySecret.NONE)));
            } catch (FairleadException failure) {
                assertEquals(FairleadException.Reason.MALFORMED_KEY, failure.reason());
                refused++;
            }
        }
        assertTrue(refused > 0 && refused < ROUNDS, "both outcomes are wanted, refused=" + refused);
    }

    private static void seal(byte[] packed) {
        ByteBuffer bytes = ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(4, packed.length);
        CRC32C checksum = new CRC32C();
        checksum.update(packed, 0, packed.length - 4);
        bytes.putInt(packed.length - 4, (int) checksum.getValue());
    }
}
