package io.fairlead.internal.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream is understood or answered with a failure that has a name; the seed is fixed so that a failure repeats. */
@Timeout(120)
final class ControlFuzzTest {
    private static final int ROUNDS = 20_000;

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
}
