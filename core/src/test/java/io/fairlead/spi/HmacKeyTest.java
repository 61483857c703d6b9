package io.fairlead.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class HmacKeyTest {
    private static final byte[] MESSAGE = ascii("what do ya want for nothing?");
    private static final byte[] SIGNATURE =
            HexFormat.of().parseHex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Test cases 2 and 5 of RFC 4231. */
    @Test
    void shouldSignAsTheStandardSays() {
        assertArrayEquals(SIGNATURE, new HmacKey(ascii("Jefe"), HmacKey.LENGTH_MAX).sign(MESSAGE));
        byte[] key = new byte[20];
        Arrays.fill(key, (byte) 0x0c);
        assertArrayEquals(
                HexFormat.of().parseHex("a3b6167473100ee06e0c796c2955552b"),
                new HmacKey(key, 16).sign(ascii("Test With Truncation")));
    }

    @Test
    void shouldSignTheBeginningOfAnArray() {
        byte[] longer = Arrays.copyOf(MESSAGE, MESSAGE.length + 5);
        assertArrayEquals(SIGNATURE, new HmacKey(ascii("Jefe"), 32).sign(longer, MESSAGE.length));
    }

    @Test
    void shouldVerifyWhatIsWholeAndUnchanged() {
        HmacKey key = new HmacKey(ascii("Jefe"), 16);
        byte[] signature = key.sign(MESSAGE);
        byte[] signed = ByteBuffer.allocate(MESSAGE.length + 16)
                .put(MESSAGE)
                .put(signature)
                .array();
        assertTrue(key.verify(MESSAGE, signature));
        assertTrue(key.isSigned(signed));
        for (int i = 0; i < signed.length; i++) {
            byte[] forged = signed.clone();
            forged[i] ^= 1;
            assertFalse(key.isSigned(forged), "changed at " + i);
            assertFalse(key.isSigned(Arrays.copyOf(signed, i)), "cut to " + i);
        }
        for (int i = 0; i < signature.length; i++) {
            byte[] forged = signature.clone();
            forged[i] ^= 1;
            assertFalse(key.verify(MESSAGE, forged), "changed at " + i);
            assertFalse(key.verify(MESSAGE, Arrays.copyOf(signature, i)), "cut to " + i);
        }
        assertFalse(key.verify(MESSAGE, SIGNATURE), "longer than what was agreed on");
        assertFalse(new HmacKey(ascii("jefe"), 16).verify(MESSAGE, signature));
    }

    @Test
    void shouldSignAnEmptyMessage() {
        HmacKey key = new HmacKey(ascii("Jefe"), 16);
        assertTrue(key.isSigned(key.sign(new byte[0])));
    }

    @Test
    void shouldRefuseKeysAndLengthsThatProtectNothing() {
        byte[] key = ascii("Jefe");
        assertThrows(IllegalArgumentException.class, () -> new HmacKey(new byte[0], 16));
        assertThrows(IllegalArgumentException.class, () -> new HmacKey(key, 15));
        assertThrows(IllegalArgumentException.class, () -> new HmacKey(key, 33));
    }

    @Test
    void shouldKeepItsKeyToItself() {
        byte[] key = ascii("Jefe");
        HmacKey made = new HmacKey(key, 32);
        key[0] = 0;
        assertArrayEquals(SIGNATURE, made.sign(MESSAGE));
        assertEquals("HmacKey[length=32]", made.toString());
    }
}
