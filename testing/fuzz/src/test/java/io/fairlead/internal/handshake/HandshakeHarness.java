package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.internal.handshake.HandshakeMessage.Hello;
import io.fairlead.internal.handshake.HandshakeMessage.Ready;
import io.fairlead.internal.handshake.HandshakeMessage.Refusal;
import io.fairlead.internal.handshake.HandshakeMessage.Welcome;
import io.fairlead.internal.memory.KeySecret;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** The handshake as a stream: frame by frame, each understood or refused, and what is understood can be said again. */
public final class HandshakeHarness implements Harness {
    private static final Hello HELLO = new Hello(
            1,
            1,
            0,
            0x1122_3344_5566_7788L,
            "cache-7",
            42,
            1 << 20,
            1 << 16,
            PathPolicy.AUTO,
            List.of(new Offer("tcp", "3", new byte[] {0}), new Offer("ucx", "1.13", new byte[300])),
            new byte[] {9},
            1,
            7,
            KeySecret.NONE);
    private static final Welcome WELCOME = new Welcome(
            1,
            0x99L,
            "feed-1",
            7,
            1 << 20,
            1 << 16,
            "ucx",
            new byte[] {4, 5},
            PathClass.SHARED_MEMORY,
            "memory",
            List.of("posix", "cma"),
            PathCause.FASTEST,
            "shared memory is the fastest path that both sides have",
            new byte[] {8, 8},
            0,
            7,
            KeySecret.NONE,
            new byte[] {1});

    @Override
    public List<byte[]> seeds() {
        byte[] hello = bytes(HELLO);
        byte[] ready = bytes(new Ready(new byte[80]));
        return List.of(
                hello,
                bytes(WELCOME),
                bytes(new Refusal(Reason.NO_PATH, "no RDMA device, and tcp is not wanted")),
                ready,
                Input.join(hello, ready),
                Input.join(
                        bytes(new HandshakeMessage.Resume(1, 2, Bytes32.random())),
                        bytes(new HandshakeMessage.Challenge(Bytes32.random())),
                        bytes(new HandshakeMessage.Proof(3, Bytes32.random())),
                        bytes(new HandshakeMessage.Resumed(4, Bytes32.random()))),
                manyRefusals());
    }

    /** Many of the shortest frames: each is compared with every reason, which costs the most memory for a byte. */
    private static byte[] manyRefusals() {
        byte[][] refusals = new byte[40][];
        Arrays.fill(refusals, bytes(new Refusal(Reason.NO_PATH, "")));
        return Input.join(refusals);
    }

    private static byte[] bytes(HandshakeMessage message) {
        ByteBuffer frame = HandshakeCodec.encode(message);
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    @Override
    public void run(byte[] input) {
        ByteBuffer stream = ByteBuffer.wrap(input);
        int start = 0;
        try {
            int length = HandshakeCodec.frameLength(stream);
            while (length >= 0 && length <= stream.remaining()) {
                HandshakeMessage message = HandshakeCodec.decode(stream);
                Expect.same(start + length, stream.position(), "a message took more or less than its frame");
                checkAgain(message);
                start = stream.position();
                length = HandshakeCodec.frameLength(stream);
            }
            Expect.that(
                    length <= HandshakeCodec.HEADER_LENGTH + HandshakeCodec.BODY_MAX,
                    "a frame may be longer than the limit");
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.PROTOCOL_VIOLATION);
            Expect.same(start, stream.position(), "a refused message was taken off the stream");
        }
    }

    private static void checkAgain(HandshakeMessage message) {
        if (message instanceof Hello hello && !hello.speaks(HandshakeCodec.VERSION)) {
            // Nothing but its versions was read.
            return;
        }
        Expect.same(message, HandshakeCodec.decode(HandshakeCodec.encode(message)), "a message means something else");
    }

    /** The longest frame twice, and for each byte what Jazzer copies of texts that are compared: it notes both, for each reason that a short refusal may have. */
    @Override
    public long heapMax(byte[] input) {
        return (1 << 20) + 4096L * input.length;
    }
}
