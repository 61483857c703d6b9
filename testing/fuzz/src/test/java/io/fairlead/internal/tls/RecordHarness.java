package io.fairlead.internal.tls;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.fuzz.MemoryChannel;
import io.fairlead.fuzz.MemoryChannel.Room;
import io.fairlead.spi.HmacKey;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Records of TLS inside and behind the handshake, and the proof of a shared secret, over an engine that hides nothing. The first byte says which side this is, whether there is
 * a secret, how much a read brings and a write takes; the rest is what the peer sends.
 */
public final class RecordHarness implements Harness {
    private static final int CONNECTS = 1;
    private static final int SECRET = 1 << 1;
    private static final int TORN = 1 << 2;
    private static final int SMALL = 1 << 3;
    private static final int WRITES = 1 << 4;
    private static final int ROOM_SHIFT = 5;

    private static final int TORN_BYTES = 3;
    private static final int SMALL_BYTES = 50;
    /** More than two records. */
    private static final byte[] MESSAGE = new byte[40_000];

    private static final Room[] ROOMS = {Room.ALL, Room.LITTLE, Room.NONE, Room.BROKEN};
    private static final byte CONNECTOR = 'C';
    private static final byte LISTENER = 'L';

    @Override
    public List<byte[]> seeds() {
        byte[] finish = record(OpenEngine.HANDSHAKE, OpenEngine.FINISHES);
        byte[] busy =
                record(OpenEngine.HANDSHAKE, OpenEngine.FINISHES | OpenEngine.WANTS_TASK | OpenEngine.WANTS_ANSWER);
        byte[] keys = record(OpenEngine.HANDSHAKE, OpenEngine.WANTS_ANSWER);
        byte[] data = record(OpenEngine.DATA, 1, 2, 3);
        byte[] end = record(OpenEngine.ALERT, 1);
        byte[] connectors = proof(CONNECTOR);
        byte[] listeners = proof(LISTENER);
        byte[] talk = Input.join(data, keys, record(OpenEngine.NOTHING), data, end);
        return List.of(
                Input.behind(0, Input.join(busy, talk)),
                Input.behind(CONNECTS | TORN, Input.join(finish, talk)),
                Input.behind(SMALL | WRITES, Input.join(finish, record(OpenEngine.DATA, new int[400]), talk)),
                Input.behind(WRITES | 1 << ROOM_SHIFT, Input.join(finish, talk)),
                Input.behind(WRITES | 2 << ROOM_SHIFT, Input.join(finish, keys, data)),
                Input.behind(WRITES | 3 << ROOM_SHIFT, Input.join(finish, talk)),
                Input.behind(SECRET, Input.join(finish, connectors, talk)),
                Input.behind(SECRET | TORN, Input.join(finish, listeners)),
                Input.behind(SECRET | CONNECTS, Input.join(finish, listeners, talk)),
                Input.behind(SECRET | CONNECTS, Input.join(finish, record(OpenEngine.DATA, new int[32]))),
                Input.behind(0, Input.join(finish, record(OpenEngine.ALERT, 0, '\n', 'a'))),
                Input.behind(0, record(OpenEngine.THROWS, '\n', 'a')),
                Input.behind(0, "GET / HTTP/1.1".getBytes(StandardCharsets.US_ASCII)));
    }

    private static byte[] record(int type, int... content) {
        ByteBuffer out = ByteBuffer.allocate(OpenEngine.HEADER + content.length);
        out.put((byte) type).put((byte) 3).put((byte) 3).putShort((short) content.length);
        for (int value : content) {
            out.put((byte) value);
        }
        return out.array();
    }

    private static byte[] proof(byte role) {
        return record(OpenEngine.DATA, ints(rightProof(role)));
    }

    private static int[] ints(byte[] bytes) {
        int[] ints = new int[bytes.length];
        Arrays.setAll(ints, i -> bytes[i]);
        return ints;
    }

    private static byte[] rightProof(byte role) {
        byte[] claim = Input.behind(role, OpenSecureEngine.exported(SharedSecretProof.LENGTH));
        return new HmacKey(OpenSecureEngine.SECRET, SharedSecretProof.LENGTH).sign(claim);
    }

    @Override
    public void run(byte[] input) {
        Input in = new Input(input);
        int options = in.u8();
        byte[] peer = in.rest();
        boolean connects = (options & CONNECTS) != 0;
        boolean isSecret = (options & SECRET) != 0;
        Room room = ROOMS[(options >>> ROOM_SHIFT) % ROOMS.length];
        MemoryChannel channel = new MemoryChannel(peer, (options & TORN) != 0 ? TORN_BYTES : Integer.MAX_VALUE, room);
        channel.end();
        Told told = Told.of(peer);
        try (FuzzedSide side = new FuzzedSide(new OpenSecureEngine(new OpenEngine(connects), isSecret), channel)) {
            shake(side, peer.length, room);
            if (side.isDone()) {
                int start = isSecret ? SharedSecretProof.LENGTH : 0;
                if (isSecret) {
                    byte[] proof = rightProof(connects ? LISTENER : CONNECTOR);
                    Expect.that(
                            told.data.length >= start && Arrays.equals(proof, 0, start, told.data, 0, start),
                            "a peer without the secret was let in");
                }
                boolean writes = (options & WRITES) != 0;
                talk(side, told, start, writes, (options & SMALL) != 0 ? SMALL_BYTES : 1 << 16, peer.length);
            }
        }
        byte[] own =
                isSecret && (connects || told.finishes) ? rightProof(connects ? CONNECTOR : LISTENER) : new byte[0];
        checkWritten(channel.take(), own);
    }

    private static void shake(FuzzedSide side, int length, Room room) {
        // Each turn takes a byte, a record or a task, or writes some bytes.
        for (int turn = 0; turn < 2 * length + 64 && !side.hasEnded(); turn++) {
            side.advance();
        }
        Expect.that(side.hasEnded() || room == Room.NONE, "a handshake goes on behind the end of its stream");
    }

    /** Reads what the peer has sent behind its proof, and writes meanwhile. */
    private static void talk(FuzzedSide side, Told told, int start, boolean writes, int atOnce, int length) {
        TlsConnection connection = side.handshake.connection();
        ByteBuffer message = ByteBuffer.wrap(MESSAGE);
        ByteBuffer target = ByteBuffer.allocate(atOnce);
        int at = start;
        for (int turn = 0; turn < length + 64; turn++) {
            try {
                if (writes) {
                    connection.write(message);
                }
                int count = connection.read(target.clear());
                if (count < 0) {
                    Expect.that(told.ends, "a stream has ended that the peer has not ended");
                    Expect.same(told.data.length, at, "a stream has ended before its data");
                    return;
                }
                Expect.that(
                        at + count <= told.data.length
                                && Arrays.equals(target.array(), 0, count, told.data, at, at + count),
                        "something was read that the peer has not sent");
                at += count;
            } catch (FairleadException refused) {
                Expect.refusal(refused, Reason.UNTRUSTED, Reason.PROTOCOL_VIOLATION, Reason.PEER_LOST);
                return;
            } catch (IOException broken) {
                Expect.that(broken.getMessage() != null, "a connection breaks without a word");
                return;
            }
        }
        throw new AssertionError("a connection goes on behind the end of its stream");
    }

    /** What is written are records, of the proof at first and of the message behind it. */
    private static void checkWritten(byte[] written, byte[] proof) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        ByteBuffer records = ByteBuffer.wrap(written);
        while (records.remaining() >= OpenEngine.HEADER) {
            int type = records.get(records.position());
            int length = Short.toUnsignedInt(records.getShort(records.position() + 3));
            records.position(records.position() + OpenEngine.HEADER);
            int count = Math.min(length, records.remaining());
            Expect.that(
                    type == OpenEngine.DATA || type == OpenEngine.HANDSHAKE || type == OpenEngine.ALERT,
                    "what is no record was written");
            if (type == OpenEngine.DATA) {
                data.write(written, records.position(), count);
            }
            records.position(records.position() + count);
        }
        byte[] said = data.toByteArray();
        boolean isRefusal = said.length <= proof.length && Arrays.equals(said, new byte[said.length]);
        int common = Math.min(said.length, proof.length);
        Expect.that(
                isRefusal || Arrays.equals(said, 0, common, proof, 0, common),
                "another proof than the right one was written");
        for (int i = common; i < said.length; i++) {
            Expect.that(said[i] == 0, "something was written that was not offered");
        }
        Expect.that(said.length <= proof.length + MESSAGE.length, "something was written twice");
    }

    /** What a peer has said, as far as its records are whole and lawful. */
    private record Told(byte[] data, boolean finishes, boolean ends) {
        static Told of(byte[] peer) {
            ByteArrayOutputStream data = new ByteArrayOutputStream();
            ByteBuffer records = ByteBuffer.wrap(peer);
            boolean finishes = false;
            while (records.remaining() >= OpenEngine.HEADER) {
                int type = records.get();
                int major = records.get();
                records.get();
                int length = Short.toUnsignedInt(records.getShort());
                if (length > records.remaining() || major != 3 || type < OpenEngine.NOTHING || type > OpenEngine.DATA) {
                    break;
                }
                byte[] content = new byte[length];
                records.get(content);
                int first = length == 0 ? 0 : content[0];
                if (type == OpenEngine.DATA) {
                    if (!finishes || length > OpenEngine.PLAIN_MAX) {
                        break;
                    }
                    data.writeBytes(content);
                } else if (type == OpenEngine.HANDSHAKE) {
                    finishes |= (first & OpenEngine.FINISHES) != 0;
                } else if (type == OpenEngine.ALERT) {
                    return new Told(data.toByteArray(), finishes, finishes && (first & 1) != 0);
                }
            }
            return new Told(data.toByteArray(), finishes, false);
        }
    }
}
