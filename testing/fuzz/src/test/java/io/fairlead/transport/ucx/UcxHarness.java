package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.FuzzHost;
import io.fairlead.fuzz.FuzzOperation;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.fuzz.MessageEndpoint;
import io.fairlead.spi.served.RemoteRequester;
import io.fairlead.spi.served.RemoteResponder;
import io.fairlead.spi.served.ServedChannel;
import io.fairlead.spi.served.ServedLimits;
import io.fairlead.spi.served.ServedMessage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * What the ucx transport reads beside UCX's own bytes: its messages, the numbers under which a peer says that it has made endpoints, addresses and keys. UCX is
 * not called. The first byte chooses.
 */
public final class UcxHarness implements Harness {
    private static final int MESSAGES = 0;
    private static final int NUMBERS = 1;
    private static final int ADDRESS = 2;
    private static final int KEY = 3;
    private static final int CHOICES = 4;

    /** What {@code RemoteOperations} has. */
    private static final ServedLimits LIMITS =
            new ServedLimits(TransportMessage.DATA_MAX, TransportMessage.DATA_MAX, TransportMessage.DATA_MAX, 64, 1);

    private static final MemorySegment MEMORY = Arena.global().allocate(100, 8);

    private static final MessageEndpoint NO_MESSAGES = new MessageEndpoint(_ -> {}, _ -> {});

    private final TransportMessage message = new MessagePool(Arena.global()).take();
    private final WireUpSeal seal = new WireUpSeal(new FuzzHost(), address(1), address(2), 0);

    private static WorkerAddress address(long worker) {
        return WorkerAddress.of(worker, Lanes.ofBits((byte) 3), "no device", new byte[] {1, 2, 3});
    }

    @Override
    public List<byte[]> seeds() {
        byte[] requests = Input.join(
                message(TransportMessage.SIGNAL, 77),
                message(TransportMessage.SERVED, 2, 1, 0, 64),
                message(TransportMessage.SERVED, 8L << 32 | 3 << 8 | 1, 1, 16, 77, 5),
                message(TransportMessage.SERVED, 3, 1, 8, 1, 0),
                message(TransportMessage.SERVED, 4),
                message(TransportMessage.WIRE_UP_REQUEST, 3, 4, 0),
                message(TransportMessage.WIRE_UP_REPLY, 3, 4));
        byte[] answers = Input.join(
                message(TransportMessage.SERVED, 5),
                message(TransportMessage.SERVED, 7, 5),
                message(TransportMessage.SERVED, 8L << 32 | 6, 5),
                message(TransportMessage.SERVED, 5));
        return List.of(
                Input.behind(MESSAGES, Input.behind(0, requests)),
                Input.behind(MESSAGES, Input.behind(1, answers)),
                Input.behind(NUMBERS, Input.words(0, 1, 5, 6, 1)),
                Input.behind(ADDRESS, new byte[200]),
                Input.behind(ADDRESS, address(9).encode()),
                Input.behind(KEY, new RegionKey(64, new byte[20]).encode()));
    }

    private static byte[] message(int kind, long... words) {
        byte[] body = Input.words(words);
        return Input.join(new byte[] {(byte) kind, (byte) body.length, (byte) (body.length >>> 8)}, body);
    }

    @Override
    public void run(byte[] input) {
        Input bytes = new Input(input);
        switch (bytes.u8() % CHOICES) {
            case MESSAGES -> messages(bytes);
            case NUMBERS -> numbers(bytes);
            case ADDRESS -> address(bytes.rest());
            default -> key(bytes.rest());
        }
    }

    private void messages(Input bytes) {
        FuzzHost host = new FuzzHost();
        Channel channel = new Channel();
        RemoteRequester requester = new RemoteRequester(host, channel, LIMITS);
        RemoteResponder responder = new RemoteResponder(host, channel, LIMITS);
        if ((bytes.u8() & 1) != 0) {
            requester.put(host.post(FuzzOperation.over(MEMORY, 0)));
            requester.atomic(host.post(FuzzOperation.over(MEMORY.asSlice(0, 8), 0)));
            requester.get(host.post(FuzzOperation.over(MEMORY.asSlice(0, 8), 0)));
            requester.flush(host.post(FuzzOperation.over(MEMORY.asSlice(0, 8), 0)));
        }
        ServedMessage served = new ServedMessage();
        try {
            while (bytes.hasMore()) {
                take(bytes, host, served, requester, responder);
            }
        } catch (FairleadException violation) {
            Expect.refusal(violation, Reason.PROTOCOL_VIOLATION);
        }
        requester.cancel();
        host.check(NO_MESSAGES);
    }

    private void take(
            Input bytes, FuzzHost host, ServedMessage served, RemoteRequester requester, RemoteResponder responder) {
        message.kind = bytes.u8();
        byte[] body = bytes.bytes(Math.min(bytes.u16(), TransportMessage.CAPACITY));
        message.length = body.length;
        MemorySegment.copy(body, 0, message.memory, ValueLayout.JAVA_BYTE, 0, body.length);
        if (!message.isWellFormed()) {
            return;
        }
        if (TransportMessage.isWireUp(message.kind)) {
            long number = message.endpointNumber();
            Expect.that(
                    !message.hasSeal(seal.peer(message.kind, number)),
                    "a message was taken for one of this connection");
        } else if (message.kind == TransportMessage.SIGNAL) {
            host.signalled(message.signal());
        } else {
            int data = served.readWhole(message.memory, 0, message.length, TransportMessage.DATA_MAX);
            Expect.that(
                    data + served.dataLength() == message.length, "a message is longer or shorter than what is in it");
            if (served.isAnswer()) {
                requester.answered(served, message.memory, data);
            } else {
                responder.request(served, message.memory, data);
            }
        }
    }

    /** A peer leads, and says which endpoints it has made. */
    private static void numbers(Input bytes) {
        EndpointPairing matching = new EndpointPairing(false, _ -> {});
        PairingQueue queue = new PairingQueue(new AbandonedEndpoints());
        int before = 0;
        for (int i = 0; bytes.hasMore() && i < 64; i++) {
            Candidate candidate = new Candidate();
            try {
                if (queue.meet(matching, candidate, bytes.i64())) {
                    candidate.paired();
                }
            } catch (FairleadException passed) {
                candidate.fail(passed);
            }
            queue.progress();
            Expect.that(
                    matching.made() - before <= PairingQueue.PER_TURN + 1,
                    "a peer has this side make more endpoints in a turn than it may");
            before = matching.made();
        }
    }

    private static void address(byte[] bytes) {
        WorkerAddress address = WorkerAddress.decode(bytes);
        if (address != null) {
            Expect.line(address.rdma() + ".");
            Expect.line(address.difference());
            if (!address.isGenuine()) {
                Expect.line(address.refusal("listener", "connector"));
            }
            Expect.that(address.address().length > 0, "an address without one");
        }
    }

    private static void key(byte[] bytes) {
        RegionKey key = RegionKey.decode(bytes);
        if (key != null) {
            Expect.that(Arrays.equals(bytes, key.encode()), "a key means something else");
        }
    }

    /** Takes everything at once. */
    private static final class Channel implements ServedChannel {
        @Override
        public Outcome send(ServedMessage sent) {
            Expect.that(sent.dataLength() <= TransportMessage.DATA_MAX, "an answer does not fit");
            return Outcome.COPIED;
        }

        @Override
        public void memoryClosed(IllegalStateException cause) {
            throw new AssertionError("memory of this side was closed", cause);
        }
    }

    /** An endpoint that UCX makes and that is told how it ends. */
    private static final class Candidate implements EndpointPairing.Candidate {
        private boolean settled;

        private void settle() {
            Expect.that(!settled, "an endpoint was made or failed twice");
            settled = true;
        }

        @Override
        public boolean mayBegin() {
            throw new AssertionError("the side that follows does not begin");
        }

        @Override
        public boolean begin(int number) {
            throw new AssertionError("the side that follows does not begin");
        }

        @Override
        public void paired() {
            settle();
        }

        @Override
        public void makePlaceholder() {
            // UCX would.
        }

        @Override
        public void fail(FairleadException cause) {
            settle();
            Expect.refusal(cause, Reason.PEER_LOST, Reason.TRANSPORT);
        }

        @Override
        public String label() {
            return "#1 to hostile";
        }
    }
}
