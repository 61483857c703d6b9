package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.fuzz.Interest;
import io.fairlead.fuzz.MemoryChannel;
import io.fairlead.fuzz.MemoryChannel.Room;
import io.fairlead.internal.handshake.HandshakeMessage.Challenge;
import io.fairlead.internal.handshake.HandshakeMessage.Proof;
import io.fairlead.internal.handshake.HandshakeMessage.Refusal;
import io.fairlead.internal.handshake.HandshakeMessage.Resume;
import io.fairlead.internal.handshake.HandshakeMessage.Resumed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages that resume a connection, to either side. The first byte says which side this is, and how much a read brings and a write takes. Steps follow: messages as the
 * peer would send them, with a byte changed if the input says so, and bytes as they are.
 */
public final class ResumeHarness implements Harness {
    private static final int CONNECTS = 1;
    private static final int TORN = 1 << 1;
    private static final int ROOM_SHIFT = 2;
    private static final int TORN_BYTES = 3;
    private static final Room[] ROOMS = {Room.ALL, Room.LITTLE, Room.BROKEN};

    // Steps.
    private static final int RAW = 0;
    private static final int CHALLENGE = 1;
    /** The proof of the side that the peer is, and what follows it. */
    private static final int PROOF = 2;

    private static final int REFUSAL = 3;
    private static final int STEPS = 4;

    private static final ResumeSecret SECRET = new ResumeSecret(new byte[] {1, 2, 3});
    private static final long OWN_READ = 77;
    private static final Bytes32 NONCE = new Bytes32(new byte[Bytes32.LENGTH]);
    /** The two bytes of a header that a peer may ignore begin here. */
    private static final int IGNORABLE = 6;

    private static final Reason[] REASONS = Reason.values();

    @Override
    public List<byte[]> seeds() {
        byte[] challenge = {CHALLENGE, 0};
        byte[] proof = {PROOF, 0, 9};
        byte[] forged = {PROOF, 13, 9};
        byte[] ignored = {PROOF, IGNORABLE, 9};
        byte[] refusal = {REFUSAL, 0, 3};
        return List.of(
                Input.behind(0, proof),
                Input.behind(TORN, Input.join(forged, proof)),
                Input.behind(1 << ROOM_SHIFT, proof),
                Input.behind(2 << ROOM_SHIFT, proof),
                Input.behind(CONNECTS, Input.join(challenge, proof)),
                Input.behind(CONNECTS | TORN, Input.join(challenge, forged)),
                Input.behind(CONNECTS, Input.join(challenge, ignored)),
                Input.behind(CONNECTS, Input.join(challenge, challenge)),
                Input.behind(CONNECTS, refusal),
                Input.behind(CONNECTS | 1 << ROOM_SHIFT, Input.join(challenge, refusal)),
                Input.behind(CONNECTS, Input.join(new byte[] {RAW, 4}, new byte[] {22, 3, 3, 0})),
                Input.behind(0, Input.join(new byte[] {RAW, 20}, new byte[20])));
    }

    /** Two bytes of the input are a message, which the harness signs. */
    @Override
    public long heapMax(byte[] input) {
        return Harness.super.heapMax(input) + 4096L * input.length;
    }

    @Override
    public void run(byte[] input) {
        Input in = new Input(input);
        int options = in.u8();
        Room room = ROOMS[(options >>> ROOM_SHIFT) % ROOMS.length];
        MemoryChannel channel =
                new MemoryChannel(new byte[0], (options & TORN) != 0 ? TORN_BYTES : Integer.MAX_VALUE, room);
        try {
            channel.configureBlocking(false);
            Side side = (options & CONNECTS) != 0 ? new Connector(channel) : new Listener(channel);
            side.run(in);
        } catch (IOException broken) {
            Expect.that(room == Room.BROKEN, "a socket breaks that was whole");
        }
    }

    /** One side, whose peer is the harness. */
    private abstract static class Side implements ClientResume.Connection, ServerResume.Connection {
        final MemoryChannel channel;
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        /** Whether the peer has sent the right messages alone, and whether it has proved itself so. */
        boolean clean = true;

        boolean proved;
        int fences;
        int ends;

        Side(MemoryChannel channel) {
            this.channel = channel;
        }

        abstract void ready();

        abstract boolean isOver();

        /** What the peer says next, if it keeps the rules. */
        abstract byte[] proof(long peerRead);

        void run(Input in) {
            while (in.hasMore() && !isOver()) {
                written.writeBytes(channel.take());
                switch (in.u8() % STEPS) {
                    case RAW -> {
                        byte[] raw = in.bytes(in.u8());
                        clean &= raw.length == 0;
                        channel.send(raw);
                    }
                    case CHALLENGE -> channel.send(changed(bytes(new Challenge(NONCE)), in.u8()));
                    case PROOF -> {
                        int change = in.u8();
                        byte[] message = proof(in.u8());
                        message = changed(message, change);
                        proved |= clean && message.length > 0;
                        channel.send(message);
                    }
                    default -> channel.send(changed(bytes(new Refusal(REASONS[in.u8() % REASONS.length], "no")), 0));
                }
                boolean moved = true;
                while (moved && !isOver()) {
                    int left = channel.left();
                    ready();
                    byte[] said = channel.take();
                    written.writeBytes(said);
                    moved = said.length > 0 || channel.left() < left;
                }
            }
            Expect.that(ends <= 1, "an attempt has ended more than once");
            Expect.same(isOver(), ends == 1 || !channel.isOpen(), "an attempt has ended without a word");
        }

        /** What this side has said first; null while it is incomplete. */
        final @Nullable HandshakeMessage firstWritten() {
            ByteBuffer said = ByteBuffer.wrap(written.toByteArray());
            int length = HandshakeCodec.frameLength(said);
            return length >= 0 && length <= said.remaining() ? HandshakeCodec.decode(said) : null;
        }

        /** A message of which one byte is another one; 0 changes none. */
        private byte[] changed(byte[] message, int at) {
            if (at > 0 && message.length > 0) {
                int place = at % message.length;
                clean &= place == IGNORABLE || place == IGNORABLE + 1;
                message[place] ^= (byte) at;
            }
            return message;
        }

        @Override
        public void resume(SocketChannel socket, long peerRead) {
            Expect.that(proved, "a connection goes on with a peer that has not proved itself");
            Expect.same(1, fences, "a connection goes on that was not fenced once");
            ends++;
        }

        @Override
        public void failed(Exception cause) {
            ends++;
        }

        @Override
        public void refused(FairleadException cause) {
            Expect.line(String.valueOf(cause.getMessage()));
            ends++;
        }
    }

    /** The connecting side: the peer answers with a challenge, and proves itself last. */
    private static final class Connector extends Side {
        private final ClientResume attempt;
        private final Interest interest;

        Connector(MemoryChannel channel) {
            super(channel);
            attempt = new ClientResume(
                    this, SECRET, 1, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), channel, 0);
            interest = new Interest(channel);
            ready();
        }

        @Override
        void ready() {
            attempt.ready(interest);
        }

        @Override
        boolean isOver() {
            return attempt.isOver();
        }

        @Override
        public long fence() {
            fences++;
            return OWN_READ;
        }

        @Override
        byte[] proof(long peerRead) {
            return firstWritten() instanceof Resume resume
                    ? bytes(new Resumed(peerRead, SECRET.ofListener(resume.nonce(), NONCE, OWN_READ, peerRead)))
                    : new byte[0];
        }
    }

    /** The listening side: the peer has said what it wants to resume, and proves itself first. */
    private static final class Listener extends Side {
        private final ServerResume resume;
        private final Interest interest;

        Listener(MemoryChannel channel) throws IOException {
            super(channel);
            interest = new Interest(channel);
            resume = new ServerResume(this, SECRET, new Resume(1, SECRET.name(), NONCE), channel, interest, 0);
        }

        @Override
        void ready() {
            resume.ready(interest);
        }

        @Override
        boolean isOver() {
            return resume.isOver();
        }

        @Override
        public long fence() {
            Expect.that(proved, "a connection is touched for a peer that has not proved itself");
            fences++;
            return OWN_READ;
        }

        @Override
        byte[] proof(long peerRead) {
            return firstWritten() instanceof Challenge challenge
                    ? bytes(new Proof(peerRead, SECRET.ofConnector(NONCE, challenge.nonce(), peerRead)))
                    : new byte[0];
        }
    }

    private static byte[] bytes(HandshakeMessage message) {
        ByteBuffer frame = HandshakeCodec.encode(message);
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }
}
