package io.fairlead.spi.served;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.RegionProof;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Headers, those of a peer that writes nonsense included. */
@Timeout(60)
final class ServedMessageTest {
    private static final int DATA_MAX = 100;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final ServedMessage message = new ServedMessage();

    @ParameterizedTest
    @CsvSource({
        // kind, flags, data, header
        "1, 0, 100, 24",
        "1, 1, 0, 24",
        "1, 3, 7, 32",
        "1, 128, 8, 40",
        "1, 131, 8, 48",
        "2, 0, 0, 32",
        "2, 128, 0, 48",
        "3, 5, 0, 40",
        "3, 133, 0, 56",
        "4, 0, 0, 8",
        "5, 2, 0, 8",
        "6, 0, 100, 8",
        "6, 4, 1, 8",
        "6, 3, 0, 8",
        "7, 3, 0, 16"
    })
    void shouldReadWhatItWrote(int kind, int flags, int length, int header) {
        ServedMessage written = new ServedMessage();
        ServedMemory memory = new ServedMemory(new RegionProof(-2, -6, -7));
        if ((flags & ServedMessage.PROOF) == 0) {
            memory.markShown();
        }
        written.request(kind, flags, memory, -3, -4);
        written.compare = -5;
        written.data(MemorySegment.NULL, 0, length);
        MemorySegment bytes = MemorySegment.ofArray(new byte[3 + header + length]);
        written.write(bytes, 3);
        assertEquals(header, written.headerLength());
        assertEquals(header, message.readWhole(bytes, 3, header + length, DATA_MAX));
        assertEquals(kind, message.kind);
        assertEquals(flags, message.flags);
        assertEquals(length, message.dataLength());
        assertEquals(kind >= ServedMessage.DONE, message.isAnswer());
        if (kind <= ServedMessage.ATOMIC) {
            assertEquals(-2, message.region());
            assertEquals(-3, message.offset);
            assertEquals((flags & ServedMessage.PROOF) == 0 ? null : memory.proof(), message.proof());
        }
        boolean hasSignal = kind == ServedMessage.PUT && (flags & ServedMessage.SIGNAL) != 0;
        if (hasSignal || kind == ServedMessage.GET || kind == ServedMessage.ATOMIC || kind == ServedMessage.VALUE) {
            assertEquals(-4, message.value);
        }
        if (kind == ServedMessage.ATOMIC) {
            assertEquals(-5, message.compare);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0 | 0 | 0 | message=unknown, kind=0, allowed 1 to 7",
                "8 | 0 | 0 | 0 | kind=8",
                "255 | 0 | 0 | 0 | kind=255",
                "1 | 4 | 0 | 0 | message=PUT, flags=4",
                "2 | 1 | 0 | 0 | message=GET, flags=1",
                "3 | 6 | 0 | 0 | message=ATOMIC, flags=6",
                "3 | 8 | 0 | 0 | message=ATOMIC, flags=8",
                "3 | 134 | 0 | 0 | message=ATOMIC, flags=134",
                "4 | 128 | 0 | 0 | message=FLUSH, flags=128",
                "6 | 128 | 0 | 0 | message=DATA, flags=128",
                "4 | 1 | 0 | 0 | message=FLUSH, flags=1",
                "5 | 1 | 0 | 0 | message=DONE, flags=1",
                "6 | 8 | 0 | 0 | message=DATA, flags=8",
                "6 | 4 | 0 | 0 | message=DATA, flags=4",
                "6 | 6 | 0 | 1 | message=DATA, flags=6",
                "7 | 4 | 0 | 0 | message=VALUE, flags=4",
                "1 | 0 | 1 | 0 | message=PUT, reserved=1",
                "1 | 0 | 0 | 101 | message=PUT, data=101, allowed 0 to 100 bytes",
                "1 | 0 | 0 | 4294967295 | message=PUT, data=4294967295",
                "2 | 0 | 0 | 1 | message=GET, data=1, allowed 0 to 0 bytes",
                "5 | 0 | 0 | 1 | message=DONE, data=1",
                "6 | 0 | 0 | 101 | message=DATA, data=101",
                "6 | 1 | 0 | 1 | message=DATA, data=1, allowed 0 to 0 bytes",
            })
    void shouldRefuseFirstWord(int kind, int flags, int reserved, long length, String text) {
        long first = kind | (long) flags << 8 | (long) reserved << 16 | length << 32;
        FairleadException refused =
                assertThrows(FairleadException.class, () -> ServedMessage.headerLength(first, DATA_MAX));
        assertEquals(Reason.PROTOCOL_VIOLATION, refused.reason());
        assertTrue(refused.getMessage().contains(text), refused::getMessage);
    }

    @ParameterizedTest
    @CsvSource({"0", "7", "8", "23", "31", "33", "1000"})
    void shouldRefuseMessagesOfAnotherLengthThanTheySay(int length) {
        MemorySegment memory = MemorySegment.ofArray(new byte[1000]);
        memory.set(WORD, 0, ServedMessage.PUT | 8L << 32);
        FairleadException refused =
                assertThrows(FairleadException.class, () -> message.readWhole(memory, 0, length, DATA_MAX));
        assertTrue(refused.getMessage().contains("length=" + length), refused::getMessage);
    }

    @Test
    void shouldTouchNothingBehindTheMessage() {
        Random random = new Random(5);
        int accepted = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] noise = new byte[random.nextInt(60)];
            random.nextBytes(noise);
            if (noise.length >= 8 && random.nextBoolean()) {
                // Looks like a message at first sight, which lets the noise reach further.
                MemorySegment.ofArray(noise)
                        .set(
                                WORD,
                                0,
                                random.nextInt(9)
                                        | (random.nextInt(5) | random.nextInt(2) * ServedMessage.PROOF) << 8
                                        | (long) random.nextInt(30) << 32);
            }
            try {
                int header = message.readWhole(MemorySegment.ofArray(noise), 0, noise.length, DATA_MAX);
                assertEquals(noise.length, header + message.dataLength());
                accepted++;
            } catch (FairleadException refused) {
                assertEquals(Reason.PROTOCOL_VIOLATION, refused.reason());
            }
        }
        assertTrue(accepted > 100, "the noise has never looked like a message");
    }
}
