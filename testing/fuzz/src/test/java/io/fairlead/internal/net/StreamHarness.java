package io.fairlead.internal.net;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.fuzz.MemoryChannel;
import io.fairlead.fuzz.MemoryChannel.Room;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Records of a stream that outlives its sockets, over as many sockets as the input says. The first byte says which side this is, and how much a read brings and a write
 * takes. Steps follow: bytes of the peer, reads, writes, and other sockets. What is read is what a second parser finds, and what is written on each socket goes on where the
 * peer has stopped to read.
 */
public final class StreamHarness implements Harness {
    private static final int CONNECTS = 1;
    private static final int TORN = 1 << 1;
    private static final int ROOM_SHIFT = 2;
    private static final int TORN_BYTES = 3;
    private static final Room[] ROOMS = {Room.ALL, Room.LITTLE, Room.NONE, Room.BROKEN};

    // Steps.
    private static final int RAW = 0;
    private static final int RECORD = 1;
    private static final int READ = 2;
    private static final int WRITE = 3;
    private static final int SWITCH = 4;
    private static final int END = 5;
    private static final int STEPS = 6;

    @Override
    public List<byte[]> seeds() {
        byte[] data = {RECORD, StreamRecord.DATA, 0, 3, 'a', 'b', 'c'};
        byte[] report = {RECORD, StreamRecord.DATA, 5, 0};
        byte[] end = {RECORD, StreamRecord.END, 0, 1, 0};
        byte[] read = {READ, 9};
        byte[] write = {WRITE, 20};
        byte[] next = {SWITCH, 5};
        byte[] raw = Input.join(
                new byte[] {RAW, 11}, Input.words(StreamRecord.of(StreamRecord.DATA, 3, 0)), new byte[] {1, 2, 3});
        byte[] talk = Input.join(data, read, write, data, data, read);
        return List.of(
                Input.behind(0, talk),
                Input.behind(TORN, Input.join(talk, report, read, next, talk)),
                Input.behind(CONNECTS, Input.join(write, next, write, read, next, talk, end, read)),
                Input.behind(1 << ROOM_SHIFT, Input.join(write, write, next, talk, report, read, write)),
                Input.behind(2 << ROOM_SHIFT, Input.join(write, raw, read, next, talk)),
                Input.behind(3 << ROOM_SHIFT, Input.join(data, read, write, next, talk)),
                Input.behind(CONNECTS, Input.join(talk, new byte[] {END}, end, read, read, data, read)),
                Input.behind(0, Input.join(new byte[] {RAW, 8}, Input.words(3L << 24), read)),
                Input.behind(0, Input.join(write, new byte[] {SWITCH, (byte) 200})));
    }

    @Override
    public void run(byte[] input) {
        Run run = new Run(new Input(input));
        try {
            run.go();
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.PROTOCOL_VIOLATION);
        } finally {
            run.stream.closeSocket();
            run.stream.closeSocket();
        }
        Expect.same(1, run.closed, "a stream has ended more or less than once");
    }

    /** One stream, what it was told, and what it has to have read and written. */
    private static final class Run implements ResumableStream.Owner {
        final Input in;
        final boolean torn;
        final Room room;
        final ResumableStream stream;
        /** What the peer has said on this socket. */
        ByteArrayOutputStream said = new ByteArrayOutputStream();

        MemoryChannel channel;
        /** What was read from the sockets before this one, and from this one. */
        final Parsed before = new Parsed();

        Parsed parsed = before;
        final ByteArrayOutputStream read = new ByteArrayOutputStream();
        long taken;
        /** Where this socket begins in the own stream, and what was written to it. */
        long start;

        ByteArrayOutputStream written = new ByteArrayOutputStream();
        /** Whether it has tried to end its output, behind which it writes nothing. */
        boolean ending;

        int closed;

        Run(Input in) {
            this.in = in;
            int options = in.u8();
            torn = (options & TORN) != 0;
            room = ROOMS[(options >>> ROOM_SHIFT) % ROOMS.length];
            channel = socket();
            stream = new ResumableStream(this, channel, (options & CONNECTS) != 0, ResumableStream.REPLAY_MIN);
            if (!torn) {
                stream.reportLess();
            }
        }

        private MemoryChannel socket() {
            return new MemoryChannel(new byte[0], torn ? TORN_BYTES : Integer.MAX_VALUE, room);
        }

        @Override
        public void down(IOException cause) {
            Expect.that(cause.getMessage() != null, "a socket is lost without a word");
        }

        @Override
        public void closed() {
            closed++;
        }

        void go() {
            while (in.hasMore()) {
                switch (in.u8() % STEPS) {
                    case RAW -> say(in.bytes(in.u8()));
                    case RECORD -> say(record(in.u8() % 4, in.u8(), in.bytes(in.u8())));
                    case READ -> read(in.u8());
                    case WRITE -> write(in.u8());
                    case SWITCH -> next(in.u8());
                    default -> {
                        ending = true;
                        boolean _ = stream.tryEndOutput();
                    }
                }
                checkWritten();
            }
        }

        private void say(byte[] bytes) {
            said.writeBytes(bytes);
            channel.send(bytes);
        }

        private byte[] record(int kind, int reported, byte[] content) {
            return Input.join(Input.words(StreamRecord.of(kind, content.length, reported)), content);
        }

        private void read(int length) {
            ByteBuffer target = ByteBuffer.allocate(length);
            int count;
            try {
                count = stream.read(target);
            } catch (IOException broken) {
                throw new AssertionError("a stream breaks with its socket", broken);
            }
            Expect.same(Math.max(0, count), target.position(), "a read counts other bytes than it took");
            read.write(target.array(), 0, target.position());
            byte[] bytes = said.toByteArray();
            parsed = before.and(Arrays.copyOf(bytes, bytes.length - channel.left()));
            byte[] all = read.toByteArray();
            Expect.that(
                    Arrays.equals(all, parsed.content.toByteArray()), "other bytes were read than the peer has sent");
            Expect.same(parsed.count(), stream.bytesRead(), "a stream counts other bytes than it read");
            Expect.that(count >= 0 || parsed.ended, "a stream has ended that the peer has not ended");
        }

        private void write(int length) {
            byte[] bytes = new byte[ending ? 0 : length];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = valueAt(taken + i);
            }
            ByteBuffer source = ByteBuffer.wrap(bytes);
            int count = stream.write(source);
            Expect.same(source.position(), count, "a write counts other bytes than it took");
            taken += count;
        }

        /** Another socket, on which the peer claims to have read so much. */
        private void next(int peerRead) {
            stream.suspend(new IOException("by the harness"));
            before.keep(parsed);
            parsed = before;
            said = new ByteArrayOutputStream();
            written = new ByteArrayOutputStream();
            channel = socket();
            start = peerRead;
            try {
                long _ = stream.resume(channel, peerRead);
            } catch (IOException broken) {
                throw new AssertionError("a socket without a selector is closed", broken);
            }
            boolean _ = stream.trySend();
        }

        /** Records alone, whose content goes on where the peer has stopped to read. */
        private void checkWritten() {
            written.writeBytes(channel.take());
            ByteBuffer records = ByteBuffer.wrap(written.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
            long at = start;
            while (records.remaining() >= StreamRecord.HEADER) {
                long header = records.getLong();
                Expect.that(StreamRecord.isValid(header), "what is no record was written");
                int count = Math.min(StreamRecord.length(header), records.remaining());
                for (int i = 0; i < count; i++) {
                    byte value = records.get();
                    Expect.that(
                            StreamRecord.kind(header) == StreamRecord.END || value == valueAt(at),
                            "another byte was written than the one that was offered");
                    at++;
                }
            }
            Expect.that(at <= taken + 2, "more was written than was offered");
        }

        private static byte valueAt(long position) {
            return (byte) (position * 0x9E3779B97F4A7C15L >>> 56);
        }
    }

    /** What a peer has sent, found byte by byte. */
    private static final class Parsed {
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        boolean ended;

        long count() {
            return content.size() + (ended ? 1 : 0);
        }

        void keep(Parsed other) {
            if (!other.equals(this)) {
                content.reset();
                content.writeBytes(other.content.toByteArray());
                ended = other.ended;
            }
        }

        /** This, and what the bytes of one more socket bring. */
        Parsed and(byte[] socket) {
            Parsed sum = new Parsed();
            sum.keep(this);
            ByteBuffer records = ByteBuffer.wrap(socket).order(ByteOrder.LITTLE_ENDIAN);
            while (records.remaining() >= StreamRecord.HEADER) {
                int length = records.getInt();
                int kind = length >>> 24;
                length &= 0xFFFFFF;
                records.getInt();
                byte[] bytes = new byte[Math.min(length, records.remaining())];
                records.get(bytes);
                if (kind == StreamRecord.DATA) {
                    sum.content.writeBytes(bytes);
                } else {
                    sum.ended |= bytes.length > 0;
                }
            }
            return sum;
        }
    }
}
