package io.fairlead.internal.memory;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.internal.wire.WireLimits;
import io.fairlead.internal.wire.WireReader;
import io.fairlead.internal.wire.WireText;
import io.fairlead.internal.wire.WireWriter;
import io.fairlead.spi.RegionProof;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The description of a memory region that its owner gives to peers. Immutable; the arrays must not be changed.
 *
 * <p>The bytes, little-endian, are: 2 bytes of version, 2 bytes of rights, 4 bytes of total length; incarnation, region
 * id and region length in 8 bytes each; 16 random bytes that prove the possession of the key; 1 byte with the number of
 * transports; each transport's name and key preceded by their lengths in 2 bytes; the owner's
 * {@linkplain KeySecret signature} of all that in 16 bytes; the CRC-32C of everything in 4 bytes. The checksum detects
 * damage; the signature detects manipulation, at a peer that keeps the rules. The target nevertheless checks every
 * access that software serves.
 *
 * @param incarnation the identity of the owner's context, not 0
 * @param region the region's id at its owner, and the random bytes
 * @param length the region's size in bytes, 1 and up
 * @param rights what peers may do, not empty
 * @param transports the data for the peers' transports, by the transports' names
 */
public record PackedKey(
        long incarnation, RegionProof region, long length, Set<AccessRight> rights, Map<String, byte[]> transports) {
    /** The version of the format that this release writes and reads. */
    public static final int VERSION = 3;

    private static final int FIXED_LENGTH = 2 + 2 + 4 + 8 + 8 + 8 + 16 + 1;
    private static final int CHECKSUM_LENGTH = 4;
    private static final int TOTAL_LENGTH_INDEX = 4;
    private static final int LENGTH_MIN = FIXED_LENGTH + KeySecret.SIGNATURE_LENGTH + CHECKSUM_LENGTH;

    /** The maximum length of a key, in bytes. */
    public static final int LENGTH_MAX =
            LENGTH_MIN + WireLimits.KEY_TRANSPORTS * (2 + WireLimits.TRANSPORT_NAME + 2 + WireLimits.TRANSPORT_KEY);

    private static final int READ_BIT = 1;
    private static final int WRITE_BIT = 2;
    private static final int ATOMIC_BIT = 4;

    /** Copies the collections. */
    public PackedKey {
        rights = Set.copyOf(rights);
        // Sorted, so the same region always packs to the same bytes.
        transports = Collections.unmodifiableMap(new TreeMap<>(transports));
    }

    /** The region's id at its owner. */
    long regionId() {
        return region.regionId();
    }

    /**
     * Packs the key.
     *
     * @param secret the owner's secret
     * @return a new array
     * @throws IllegalArgumentException if a field exceeds its limit
     */
    public byte[] encode(KeySecret secret) {
        if (incarnation == 0 || length <= 0 || rights.isEmpty()) {
            throw new IllegalArgumentException("remote key needs incarnation, length and rights: incarnation="
                    + incarnation + ", length=" + length + ", rights=" + rights);
        }
        WireWriter out = new WireWriter("remote key")
                .u16(VERSION)
                .u16(bits(rights))
                .i32(0)
                .i64(incarnation)
                .i64(region.regionId())
                .i64(length)
                .i64(region.high())
                .i64(region.low())
                .u8("transports", transports.size(), 0, WireLimits.KEY_TRANSPORTS);
        transports.forEach((transport, key) ->
                out.transportName("transport", transport).bytes("transportKey", key, WireLimits.TRANSPORT_KEY));
        out.i64(0).i64(0).i32(0);
        ByteBuffer written = out.finish();
        byte[] packed = new byte[written.remaining()];
        written.get(packed);
        ByteBuffer bytes = ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(TOTAL_LENGTH_INDEX, packed.length);
        int signed = signedLength(packed);
        bytes.put(signed, secret.sign(packed, signed));
        bytes.putInt(packed.length - CHECKSUM_LENGTH, checksum(packed));
        return packed;
    }

    private static int signedLength(byte[] packed) {
        return packed.length - CHECKSUM_LENGTH - KeySecret.SIGNATURE_LENGTH;
    }

    /**
     * Checks that the owner has signed a key.
     *
     * @param packed bytes that {@link #decode} has unpacked
     * @param secret the owner's secret
     * @throws FairleadException {@code MALFORMED_KEY} if the signature is wrong
     */
    public static void verify(byte[] packed, KeySecret secret) {
        int signed = signedLength(packed);
        byte[] signature = Arrays.copyOfRange(packed, signed, signed + KeySecret.SIGNATURE_LENGTH);
        if (!MessageDigest.isEqual(signature, secret.sign(packed, signed))) {
            throw malformed("remote key was changed after its owner had signed it: length=" + packed.length
                    + " bytes; ask the owner for what it grants");
        }
    }

    /**
     * Unpacks a key without checking its signature; see {@link #verify}.
     *
     * @param packed untrusted bytes
     * @return the key
     * @throws FairleadException {@code MALFORMED_KEY} naming the fault
     */
    public static PackedKey decode(byte[] packed) {
        if (packed.length < LENGTH_MIN) {
            throw malformed("remote key is too short: length=" + packed.length + ", minimum=" + LENGTH_MIN + " bytes");
        }
        ByteBuffer bytes = ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
        int version = Short.toUnsignedInt(bytes.getShort(0));
        if (version != VERSION) {
            throw malformed("remote key has another version: version=" + version + ", expected " + VERSION
                    + "; both sides need the same release");
        }
        int total = bytes.getInt(TOTAL_LENGTH_INDEX);
        if (total != packed.length) {
            throw malformed("remote key has a wrong length: length=" + packed.length + ", expected "
                    + Integer.toUnsignedString(total) + " bytes");
        }
        int expected = bytes.getInt(packed.length - CHECKSUM_LENGTH);
        int actual = checksum(packed);
        if (expected != actual) {
            throw malformed("remote key is damaged: checksum=0x" + WireText.hex(actual) + ", expected 0x"
                    + WireText.hex(expected));
        }
        return fields(new WireReader(
                bytes.slice(0, signedLength(packed)), FairleadException.Reason.MALFORMED_KEY, "remote key"));
    }

    private static PackedKey fields(WireReader in) {
        in.u16("version");
        int bits = in.u16("rights");
        if (bits == 0) {
            throw in.violation("remote key grants no rights: rights=0x0");
        }
        if ((bits & ~(READ_BIT | WRITE_BIT | ATOMIC_BIT)) != 0) {
            throw in.violation("remote key has unknown rights: rights=0x" + Integer.toHexString(bits) + ", known=0x7");
        }
        in.i32("totalLength");
        long incarnation = in.i64("incarnation");
        if (incarnation == 0) {
            throw in.violation("remote key has no incarnation: incarnation=0");
        }
        long regionId = in.i64("regionId");
        long length = in.i64("length");
        if (length <= 0) {
            throw in.violation("remote key has no length: length=" + length + ", minimum=1 bytes");
        }
        RegionProof region = new RegionProof(regionId, in.i64("proofHigh"), in.i64("proofLow"));
        int count = in.count("transports", WireLimits.KEY_TRANSPORTS);
        Map<String, byte[]> transports = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            String transport = in.transportName("transport");
            if (transports.put(transport, in.bytes("transportKey", WireLimits.TRANSPORT_KEY)) != null) {
                throw in.violation("remote key names a transport twice: transport=" + transport);
            }
        }
        in.end();
        return new PackedKey(incarnation, region, length, rights(bits), transports);
    }

    private static int bits(Set<AccessRight> rights) {
        int bits = 0;
        for (AccessRight right : rights) {
            bits |= bit(right);
        }
        return bits;
    }

    private static Set<AccessRight> rights(int bits) {
        EnumSet<AccessRight> rights = EnumSet.noneOf(AccessRight.class);
        for (AccessRight right : AccessRight.values()) {
            if ((bits & bit(right)) != 0) {
                rights.add(right);
            }
        }
        return rights;
    }

    /** The wire bit of a right; not its ordinal, which a new right would change. */
    private static int bit(AccessRight right) {
        return switch (right) {
            case READ -> READ_BIT;
            case WRITE -> WRITE_BIT;
            case ATOMIC -> ATOMIC_BIT;
        };
    }

    private static int checksum(byte[] packed) {
        CRC32C checksum = new CRC32C();
        checksum.update(packed, 0, packed.length - CHECKSUM_LENGTH);
        return (int) checksum.getValue();
    }

    private static FairleadException malformed(String message) {
        return new FairleadException(FairleadException.Reason.MALFORMED_KEY, message);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof PackedKey that)
                || incarnation != that.incarnation
                || !region.equals(that.region)
                || length != that.length
                || !rights.equals(that.rights)
                || !transports.keySet().equals(that.transports.keySet())) {
            return false;
        }
        return transports.entrySet().stream()
                .allMatch(entry -> Arrays.equals(entry.getValue(), that.transports.get(entry.getKey())));
    }

    @Override
    public int hashCode() {
        return Objects.hash(incarnation, region, length);
    }

    @Override
    public String toString() {
        return "PackedKey[incarnation=" + Long.toHexString(incarnation) + ", regionId=" + region.regionId()
                + ", length=" + length + " bytes, rights=" + rights + ", transports=" + transports.keySet() + "]";
    }
}
