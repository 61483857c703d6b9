package io.fairlead.internal.memory;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.spi.RegionProof;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;

/** Packed remote keys. An odd first byte has length and checksum put right, as a peer would that means harm; without, damage is tried. */
public final class KeyHarness implements Harness {
    private static final int TOTAL_LENGTH_AT = 4;
    private static final int SEALED_MIN = 2 * Integer.BYTES + 2;

    @Override
    public List<byte[]> seeds() {
        byte[] key = new PackedKey(
                        1,
                        new RegionProof(2, 3, 4),
                        4096,
                        Set.of(AccessRight.READ, AccessRight.WRITE),
                        Map.of("tcp", new byte[8], "ucx", new byte[40]))
                .encode(KeySecret.NONE);
        byte[] plain = new PackedKey(
                        -1, new RegionProof(-1, -1, -1), Long.MAX_VALUE, EnumSet.allOf(AccessRight.class), Map.of())
                .encode(KeySecret.NONE);
        return List.of(Input.behind(0, key), Input.behind(1, key), Input.behind(1, plain));
    }

    @Override
    public void run(byte[] input) {
        if (input.length == 0) {
            return;
        }
        byte[] packed = Arrays.copyOfRange(input, 1, input.length);
        if ((input[0] & 1) != 0) {
            seal(packed);
        }
        try {
            PackedKey key = PackedKey.decode(packed);
            Expect.that(packed.length <= PackedKey.LENGTH_MAX, "a key is longer than the longest");
            Expect.same(key, PackedKey.decode(key.encode(KeySecret.NONE)), "a key means something else");
            PackedKey.verify(packed, KeySecret.NONE);
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.MALFORMED_KEY);
        }
    }

    private static void seal(byte[] packed) {
        if (packed.length < SEALED_MIN) {
            return;
        }
        ByteBuffer bytes = ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(TOTAL_LENGTH_AT, packed.length);
        CRC32C checksum = new CRC32C();
        checksum.update(packed, 0, packed.length - Integer.BYTES);
        bytes.putInt(packed.length - Integer.BYTES, (int) checksum.getValue());
    }
}
