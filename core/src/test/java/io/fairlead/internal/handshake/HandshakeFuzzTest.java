package io.fairlead.internal.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever arrives is understood or answered with a failure that has a name; the seeds are fixed so that a failure repeats. */
@Timeout(120)
final class HandshakeFuzzTest {
    private static final int ROUNDS = 20_000;

    @Test
    void shouldSurviveRandomBodies() {
        Random random = new Random(1);
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] body = new byte[random.nextInt(200)];
            random.nextBytes(body);
            refused += decode(WireSamples.frame(1 + random.nextInt(6), ByteBuffer.wrap(body)));
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
            HandshakeCodec.encode(new HandshakeMessage.Refusal(
                    FairleadException.Reason.NO_PATH, "no RDMA device; tcp is not wanted")),
            HandshakeCodec.encode(
                    new HandshakeMessage.Decline("ucx", FairleadException.Reason.TRANSPORT, "unreachable"))
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
}
