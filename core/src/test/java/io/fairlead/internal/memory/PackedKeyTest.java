package io.fairlead.internal.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.internal.wire.WireLimits;
import io.fairlead.spi.RegionProof;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
final class PackedKeyTest {
    private static final KeySecret SECRET = KeySecret.random();
    private static final PackedKey KEY =
            new PackedKey(5, region(6), 4096, EnumSet.of(AccessRight.READ), Map.of("tcp", new byte[] {1, 2}));

    private static RegionProof region(long id) {
        return new RegionProof(id, ~id, 31 * id);
    }

    @Test
    void shouldReadWhatItWroteForEverySetOfRights() {
        for (int bits = 1; bits < 8; bits++) {
            EnumSet<AccessRight> rights = EnumSet.noneOf(AccessRight.class);
            for (AccessRight right : AccessRight.values()) {
                if ((bits >> right.ordinal() & 1) == 1) {
                    rights.add(right);
                }
            }
            PackedKey key = new PackedKey(-1, region(-2), Long.MAX_VALUE, rights, Map.of());
            PackedKey read = PackedKey.decode(key.encode(SECRET));
            assertEquals(key, read);
            assertEquals(rights, read.rights());
        }
    }

    @Test
    void shouldReadTheLongestKey() {
        Map<String, byte[]> transports = new TreeMap<>();
        for (int i = 0; i < WireLimits.KEY_TRANSPORTS; i++) {
            byte[] key = new byte[WireLimits.TRANSPORT_KEY];
            Arrays.fill(key, (byte) i);
            transports.put(i + "x".repeat(WireLimits.TRANSPORT_NAME - 1), key);
        }
        PackedKey key = new PackedKey(1, region(Long.MIN_VALUE), 1, Set.of(AccessRight.values()), transports);
        byte[] packed = key.encode(SECRET);
        assertEquals(PackedKey.LENGTH_MAX, packed.length);
        assertEquals(key, PackedKey.decode(packed));
    }

    @Test
    void shouldPackTheSameRegionToTheSameBytes() {
        Map<String, byte[]> one = new LinkedHashMap<>();
        one.put("a", new byte[] {1});
        one.put("b", new byte[] {2});
        Map<String, byte[]> other = new LinkedHashMap<>();
        other.put("b", new byte[] {2});
        other.put("a", new byte[] {1});
        assertArrayEquals(
                new PackedKey(1, region(2), 3, Set.of(AccessRight.WRITE), one).encode(SECRET),
                new PackedKey(1, region(2), 3, Set.of(AccessRight.WRITE), other).encode(SECRET));
    }

    @Test
    void shouldFindEveryChangedBit() {
        byte[] packed = KEY.encode(SECRET);
        for (int bit = 0; bit < packed.length * 8; bit++) {
            byte[] damaged = packed.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            assertMalformed("remote key ", damaged);
        }
    }

    @Test
    void shouldRefuseEveryCutKey() {
        byte[] packed = KEY.encode(SECRET);
        for (int length = 0; length < packed.length; length++) {
            assertMalformed(
                    length < 69
                            ? "remote key is too short: length=" + length + ", minimum=69 bytes"
                            : "remote key has a wrong length: length=" + length + ", expected " + packed.length
                                    + " bytes",
                    Arrays.copyOf(packed, length));
        }
        assertMalformed("remote key has a wrong length", Arrays.copyOf(packed, packed.length + 1));
        assertMalformed("expected 4294967295 bytes", changed(bytes -> bytes.putInt(4, -1)));
    }

    static Stream<Arguments> forged() {
        return Stream.of(
                forged("remote key has another version: version=2, expected 3", bytes -> bytes.putShort(0, (short) 2)),
                forged("remote key grants no rights: rights=0x0", bytes -> bytes.putShort(2, (short) 0)),
                forged("remote key has unknown rights: rights=0x9, known=0x7", bytes -> bytes.putShort(2, (short) 9)),
                forged("remote key has no incarnation", bytes -> bytes.putLong(8, 0)),
                forged("remote key has no length: length=0, minimum=1 bytes", bytes -> bytes.putLong(24, 0)),
                forged("remote key has no length: length=-1, minimum=1 bytes", bytes -> bytes.putLong(24, -1)),
                forged("too many remote key.transports: count=9, limit=8", bytes -> bytes.put(48, (byte) 9)),
                forged("remote key is cut short: field=transport", bytes -> bytes.put(48, (byte) 2)),
                forged("remote key is longer than its fields: surplus=9 bytes", bytes -> bytes.put(48, (byte) 0)),
                forged(
                        "remote key.transport is too long: length=33, limit=32",
                        bytes -> bytes.putShort(49, (short) 33)),
                forged(
                        "remote key.transport is no transport name: transport=\"Tcp\"",
                        bytes -> bytes.put(51, (byte) 'T')),
                forged(
                        "remote key.transportKey is too long: length=4097, limit=4096",
                        bytes -> bytes.putShort(54, (short) 4097)),
                forged("remote key is cut short: field=transportKey", bytes -> bytes.putShort(54, (short) 3)));
    }

    @ParameterizedTest
    @MethodSource("forged")
    void shouldRefuseForgedKeyWithAGoodChecksum(String expected, byte[] packed) {
        assertMalformed(expected, packed);
    }

    @Test
    void shouldFindWhatItsOwnerHasNotSigned() {
        byte[] packed = KEY.encode(SECRET);
        PackedKey.verify(packed, SECRET);
        assertRefused(packed, KeySecret.random());
        assertRefused(packed, KeySecret.NONE);
        for (int bit = 0; bit < (packed.length - 4) * 8; bit++) {
            byte[] forged = packed.clone();
            forged[bit / 8] ^= (byte) (1 << bit % 8);
            assertRefused(sealed(forged), SECRET);
        }
    }

    private static void assertRefused(byte[] packed, KeySecret secret) {
        FairleadException failure = assertThrows(FairleadException.class, () -> PackedKey.verify(packed, secret));
        assertEquals(FairleadException.Reason.MALFORMED_KEY, failure.reason());
    }

    @Test
    void shouldTellDamage() {
        byte[] packed = KEY.encode(SECRET);
        packed[20] ^= 1;
        String message = assertMalformed("remote key is damaged: checksum=0x", packed);
        assertTrue(message.matches("remote key is damaged: checksum=0x[0-9A-F]{8}, expected 0x[0-9A-F]{8}"), message);
    }

    @Test
    void shouldRefuseATransportNamedTwice() {
        byte[] packed = new PackedKey(
                        1, region(1), 1, Set.of(AccessRight.READ), Map.of("tca", new byte[1], "tcb", new byte[1]))
                .encode(SECRET);
        int second = 49 + 2 + 3 + 2 + 1 + 2;
        packed[second + 2] = 'a';
        assertMalformed("remote key names a transport twice: transport=tca", sealed(packed));
    }

    @Test
    void shouldRefuseToPackWhatNobodyCouldUnpack() {
        Set<AccessRight> read = Set.of(AccessRight.READ);
        Map<String, byte[]> nine = new TreeMap<>();
        for (int i = 0; i < 9; i++) {
            nine.put("t" + i, new byte[0]);
        }
        for (PackedKey key : new PackedKey[] {
            new PackedKey(0, region(1), 1, read, Map.of()),
            new PackedKey(1, region(1), 0, read, Map.of()),
            new PackedKey(1, region(1), 1, Set.of(), Map.of()),
            new PackedKey(1, region(1), 1, read, nine),
            new PackedKey(1, region(1), 1, read, Map.of("tcp", new byte[4097])),
            new PackedKey(1, region(1), 1, read, Map.of("T", new byte[1]))
        }) {
            assertThrows(IllegalArgumentException.class, () -> key.encode(SECRET), key::toString);
        }
    }

    private static Arguments forged(String expected, Consumer<ByteBuffer> change) {
        return Arguments.of(expected, sealed(changed(change)));
    }

    private static byte[] changed(Consumer<ByteBuffer> change) {
        byte[] packed = KEY.encode(SECRET);
        change.accept(ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN));
        return packed;
    }

    private static byte[] sealed(byte[] packed) {
        CRC32C checksum = new CRC32C();
        checksum.update(packed, 0, packed.length - 4);
        ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN).putInt(packed.length - 4, (int) checksum.getValue());
        return packed;
    }

    private static String assertMalformed(String expected, byte[] packed) {
        FairleadException failure = assertThrows(FairleadException.class, () -> PackedKey.decode(packed));
        assertEquals(FairleadException.Reason.MALFORMED_KEY, failure.reason());
        assertTrue(failure.getMessage().contains(expected), failure::getMessage);
        return failure.getMessage();
    }
}
