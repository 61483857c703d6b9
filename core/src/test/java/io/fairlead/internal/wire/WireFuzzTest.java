package io.fairlead.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever arrives is understood or answered with a failure that has a name; the seeds are fixed so that a failure repeats. */
@Timeout(120)
final class WireFuzzTest {
    private static final int ROUNDS = 20_000;

    @Test
    void shouldSurviveRandomBodies() {
        Random random = new Random(1);
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] body = new byte[random.nextInt(200)];
            random.nextBytes(body);
            refused += decode(WireSamples.frame(1 + random.nextInt(4), ByteBuffer.wrap(body)));
        }
        assertTrue(refused > ROUNDS / 2, "random bytes are hardly ever a message, refused=" + refused);
    }

    @Test
    void shouldSurviveMutatedMessages() {
        Random random = new Random(2);
        int refused = 0;
        ByteBuffer[] frames = {
            HandshakeCodec.encode(WireSamples.hello()),
            HandshakeCodec.encode(WireSamples.welcome()),
            HandshakeCodec.encode(
                    new HandshakeMessage.Refusal(FairleadException.Reason.NO_PATH, "no RDMA device; tcp is not wanted"))
        };
        for (int round = 0; round < ROUNDS; round++) {
            ByteBuffer frame = WireSamples.copy(frames[round % frames.length]);
            for (int change = random.nextInt(4); change >= 0; change--) {
                frame.put(random.nextInt(frame.limit()), (byte) random.nextInt());
            }
            refused += decode(frame.limit(frame.limit() - (random.nextInt(4) == 0 ? random.nextInt(10) : 0)));
        }
        assertTrue(refused > 0 && refused < ROUNDS, "both outcomes are wanted, refused=" + refused);
    }

    @Test
    void shouldSurviveRandomStreamsOfControlFrames() {
        Random random = new Random(3);
        ControlFrameTest.Recorder recorder = new ControlFrameTest.Recorder();
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = new byte[random.nextInt(60)];
            random.nextBytes(bytes);
            // Mostly believable lengths and types, or nothing would get past the first check.
            for (int at = 0; at + 2 < bytes.length; at += 11) {
                bytes[at] = (byte) (random.nextInt(20) == 0 ? random.nextInt() : 9);
                bytes[at + 1] = 0;
                bytes[at + 2] = (byte) random.nextInt(7);
            }
            ByteBuffer stream = ByteBuffer.wrap(bytes);
            try {
                ControlFraming.dispatch(stream, recorder);
                assertEquals(-1, ControlFraming.frameLength(stream));
            } catch (FairleadException failure) {
                assertEquals(FairleadException.Reason.PROTOCOL_VIOLATION, failure.reason());
                refused++;
            }
            assertEquals(bytes.length, stream.limit());
        }
        assertTrue(refused > 0 && !recorder.calls.isEmpty(), "both outcomes are wanted, refused=" + refused);
    }

    @Test
    void shouldSurviveForgedKeysWithGoodChecksums() {
        Random random = new Random(4);
        byte[] packed = new PackedKey(
                        1,
                        2,
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

    /** Answers 1 if the frame was refused; anything but a message or a protocol violation fails the test. */
    private static int decode(ByteBuffer frame) {
        try {
            HandshakeMessage message = HandshakeCodec.decode(frame);
            if (message instanceof HandshakeMessage.Hello hello && !hello.speaks(HandshakeCodec.VERSION)) {
                return 0;
            }
            // What was understood can be said again, and means the same.
            assertEquals(message, HandshakeCodec.decode(HandshakeCodec.encode(message)));
            return 0;
        } catch (FairleadException failure) {
            assertEquals(FairleadException.Reason.PROTOCOL_VIOLATION, failure.reason());
            assertTrue(failure.getMessage().chars().noneMatch(c -> c < ' '), failure::getMessage);
            return 1;
        }
    }

    private static void seal(byte[] packed) {
        ByteBuffer bytes = ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(4, packed.length);
        CRC32C checksum = new CRC32C();
        checksum.update(packed, 0, packed.length - 4);
        bytes.putInt(packed.length - 4, (int) checksum.getValue());
    }
}
