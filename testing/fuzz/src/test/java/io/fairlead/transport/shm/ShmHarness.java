package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.FuzzHost;
import io.fairlead.fuzz.FuzzOperation;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.fuzz.MessageEndpoint;
import io.fairlead.spi.EagerPool;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.HmacKey;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.served.RemoteRequester;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The ring that a peer writes, and what it writes into the ring that it reads. The first byte says what this side has under way, or that the rest is an address
 * or a key; then come images of the records, each laid over the last.
 */
public final class ShmHarness implements Harness {
    private static final int SENDS = 1;
    private static final int MEMORY = 1 << 1;
    private static final int RECEIVES = 1 << 2;
    private static final int POSITION = 1 << 3;
    private static final int ADDRESS = 1 << 4;

    private static final int GUARD = 4096;
    private static final long CANARY = 0x5A5A_5A5A_5A5A_5A5AL;
    private static final int IMAGES = 2;
    private static final int TURNS = 4;
    private static final int LONG = FuzzHost.EAGER_MAX + 100;

    private final MemorySegment around = Arena.global().allocate(2L * GUARD + Ring.SIZE, 64);
    private final MemorySegment in = around.asSlice(GUARD, Ring.SIZE);
    private final MemorySegment out = Arena.global().allocate(Ring.SIZE, 64);
    private final MemorySegment local = Arena.global().allocate(LONG, 64);
    private final EagerPool pool = new EagerPool();
    private final ProcessRead memory = new ProcessRead(Arena.global());

    /** Marks what is beside the ring. */
    public ShmHarness() {
        around.asSlice(0, GUARD).fill((byte) CANARY);
        around.asSlice(GUARD + Ring.SIZE, GUARD).fill((byte) CANARY);
    }

    @Override
    public List<byte[]> seeds() {
        byte[] records = Input.words(
                word(Ring.MESSAGE, 8),
                FuzzHost.TAG,
                7,
                0,
                word(Ring.MESSAGE, 16),
                9,
                7,
                7,
                word(Ring.SIGNAL, 0),
                77,
                word(Ring.ANNOUNCEMENT, LONG),
                FuzzHost.TAG,
                1,
                0,
                word(Ring.ACTIVE, 16),
                Ring.target(3, 8),
                1,
                2,
                word(Ring.SINGLE_COPY, 64),
                FuzzHost.TAG,
                2,
                0,
                word(Ring.SERVED, 32),
                0,
                2 | 0L << 32,
                1,
                0,
                64,
                0,
                0);
        byte[] parts = Input.words(word(Ring.PART, 16), 0, 1, 2, word(Ring.FIRST, Ring.PAYLOAD_MAX + 8), 9);
        byte[] active = Input.words(word(Ring.ACTIVE_ANNOUNCEMENT, LONG), Ring.target(3, 8), 1, 0, 7);
        byte[] activeParts = Input.words(word(Ring.ACTIVE_FIRST, Ring.PAYLOAD_MAX + 8), Ring.target(3, 8));
        byte[] answers = Input.words(word(Ring.WANTED, 100), 0, word(Ring.TAKEN, 0), 1);
        byte[] served = Input.words(word(Ring.SERVED, 8), 0, 5, 0, word(Ring.SERVED, 16), 0, 7, 5);
        return List.of(
                images(RECEIVES, records, parts),
                images(RECEIVES, active, activeParts),
                images(SENDS, answers, new byte[16]),
                images(SENDS | POSITION, Input.words(Ring.FILLER, 0), Input.words(64)),
                images(MEMORY, served, new byte[8]),
                images(RECEIVES | SENDS | MEMORY, records, answers),
                Input.behind(ADDRESS, new byte[200]));
    }

    private static long word(int kind, long length) {
        return length << Ring.KIND_BITS | kind;
    }

    private static byte[] images(int options, byte[]... images) {
        byte[] all = {(byte) options};
        for (byte[] image : images) {
            all = Input.join(all, new byte[] {(byte) image.length, (byte) (image.length >>> 8)}, image);
        }
        return all;
    }

    @Override
    public void run(byte[] input) {
        Input bytes = new Input(input);
        int options = bytes.u8();
        if ((options & ADDRESS) != 0) {
            decode(bytes.rest());
        } else {
            read(bytes, options);
        }
    }

    private static void decode(byte[] bytes) {
        WorkerAddress address = WorkerAddress.decode(bytes);
        if (address != null) {
            Expect.line(address.toString());
        }
        FuzzHost host = new FuzzHost();
        HmacKey key = RingSeal.key(host);
        Expect.that(!new RingSeal(host, key).isOfPeer(bytes), "a packet was taken for one of this connection");
        try {
            // Nobody listens there.
            RegionClient client = new RegionClient(key, SocketPlace.NAMESPACE, SocketId.random(), 1);
            client.unpack(host, bytes, new RegionProof(1, 2, 3), 64).close();
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.MALFORMED_KEY);
        }
    }

    private void read(Input bytes, int options) {
        in.fill((byte) 0);
        out.asSlice(0, Ring.RECORDS_AT).fill((byte) 0);
        Owner owner = new Owner();
        RingWriter writer = new RingWriter(out.address());
        Parts parts = new Parts(owner, writer);
        owner.start(parts, options);
        for (int image = 0; image < IMAGES && !owner.hasEnded(); image++) {
            byte[] written = bytes.bytes(Math.min(bytes.u16(), Ring.CAPACITY));
            MemorySegment.copy(written, 0, in, ValueLayout.JAVA_BYTE, Ring.RECORDS_AT, written.length);
            if ((options & POSITION) != 0) {
                out.set(ValueLayout.JAVA_LONG, 0, bytes.i64());
            }
            for (int turn = 0; turn < TURNS && !owner.hasEnded(); turn++) {
                parts.turn(owner, writer);
            }
        }
        parts.close();
        owner.host.check(parts.endpoint(), Reason.PROTOCOL_VIOLATION);
        Expect.same(0L, pool.used(), "memory of messages was lost");
        for (long at = 0; at < GUARD; at += Long.BYTES) {
            Expect.that(
                    around.get(ValueLayout.JAVA_LONG, at) == CANARY
                            && around.get(ValueLayout.JAVA_LONG, GUARD + Ring.SIZE + at) == CANARY,
                    "something was written beside the ring");
        }
    }

    /** What reads and writes the rings of an endpoint. */
    private final class Parts {
        private final RingOutbox outbox;
        private final ServedRing served;
        private final RemoteRequester requester;
        private final RingInbox inbox;

        Parts(Owner owner, RingWriter writer) {
            outbox = new RingOutbox(owner);
            served = new ServedRing(owner, outbox, () -> true);
            requester = served.requester();
            inbox = new RingInbox(owner, new EagerArrivals(owner, pool), outbox, memory, null);
            outbox.open(writer, true);
            inbox.open(new RingReader(in.address()));
        }

        /** As the endpoint does it. */
        void turn(Owner owner, RingWriter writer) {
            try {
                inbox.read();
                if (writer.hasFalsePosition()) {
                    owner.failViolation(writer.falsePositionText());
                } else if (!owner.hasEnded()) {
                    RendezvousIn coming = inbox.announced();
                    if (coming != null) {
                        coming.answer(writer);
                    }
                    served.resume();
                    outbox.catchUp();
                }
            } catch (FairleadException violation) {
                owner.fail(violation);
            }
            owner.host.deliver(endpoint());
        }

        void close() {
            outbox.stop();
            requester.cancel();
            outbox.close();
            inbox.close();
        }

        MessageEndpoint endpoint() {
            return new MessageEndpoint(inbox::deliver, inbox::discard);
        }
    }

    /** An endpoint that notes how it has failed. */
    private final class Owner implements EndpointOwner {
        private final FuzzHost host = new FuzzHost();
        private @Nullable FairleadException failure;
        private @Nullable Parts parts;

        void start(Parts ofEndpoint, int options) {
            parts = ofEndpoint;
            if ((options & RECEIVES) != 0) {
                host.receive(LONG);
                host.receive(100);
            }
            if ((options & SENDS) != 0) {
                ofEndpoint.outbox.post(host.post(FuzzOperation.over(local, 1)));
                ofEndpoint.outbox.post(host.post(FuzzOperation.untilMatched(local.asSlice(0, 100), 1)));
            }
            if ((options & MEMORY) != 0) {
                ofEndpoint.requester.put(host.post(FuzzOperation.over(local.asSlice(0, 100), 0)));
                ofEndpoint.requester.atomic(host.post(FuzzOperation.over(local.asSlice(0, 8), 0)));
                ofEndpoint.requester.get(host.post(FuzzOperation.over(local.asSlice(0, 100), 0)));
                ofEndpoint.requester.flush(host.post(FuzzOperation.over(local.asSlice(0, 8), 0)));
            }
        }

        void fail(FairleadException cause) {
            if (!hasEnded()) {
                failure = cause;
                host.failed(cause);
            }
        }

        @Override
        public EndpointHost host() {
            return host;
        }

        @Override
        public boolean hasEnded() {
            return failure != null || host.hasStopped();
        }

        @Override
        public void markBacklogged() {
            // Every turn looks.
        }

        @Override
        public void markWritten() {
            // Nobody sleeps.
        }

        @Override
        public void takeServed(RingReader ring) {
            Objects.requireNonNull(parts, "parts").served.take(ring);
        }

        @Override
        public void signalLeft() {
            // No put waits for it.
        }

        @Override
        public void setCopying(boolean any) {
            throw new AssertionError("nothing is mapped here");
        }

        @Override
        public void failViolation(String how) {
            fail(new FairleadException(Reason.PROTOCOL_VIOLATION, how));
        }

        @Override
        public void failLane(String how) {
            failViolation(how);
        }

        @Override
        public void failLost(String how) {
            fail(new FairleadException(Reason.PEER_LOST, how));
        }

        @Override
        public void failMemoryClosed(IllegalStateException cause) {
            throw new AssertionError("memory of this side was closed", cause);
        }
    }
}
