package io.fairlead.spi;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Frames of a return to lanes, between turns. The first byte says which side this is. Steps follow: frames of the peer, turns, beginnings, and what
 * happens to the lanes and the control connection. Nothing is written to lanes that the peer does not read, and what is prepared is used once or dropped
 * once.
 */
public final class LaneHarness implements Harness {
    private static final int CONNECTOR = 1;

    // Frames, as the protocol numbers them.
    private static final int OFFER = 32;
    private static final int READY = 33;
    private static final int STAY = 35;
    private static final int BACK = 36;
    private static final int READ = 37;

    // Steps.
    private static final int FRAME = 0;
    private static final int TURN = 1;
    private static final int BEGIN = 2;
    private static final int FULL = 3;
    private static final int CONNECTED = 4;
    private static final int FAIL = 5;
    private static final int UNREAD = 6;
    private static final int UNSENT = 7;
    private static final int STEPS = 8;

    @Override
    public List<byte[]> seeds() {
        byte[] turn = {TURN};
        byte[] listener = Input.join(
                new byte[] {BEGIN, TURN, FRAME, READY, 0, TURN, CONNECTED, TURN},
                turn,
                frame(BACK),
                turn,
                frame(READ),
                turn);
        byte[] connector =
                Input.join(frame(OFFER), turn, frame(BACK), turn, new byte[] {UNREAD, UNSENT, TURN}, frame(READ), turn);
        return List.of(
                Input.behind(0, Input.join(listener, listener)),
                Input.behind(CONNECTOR, Input.join(connector, connector)),
                Input.behind(CONNECTOR, Input.join(frame(OFFER), turn, frame(STAY), turn, connector)),
                Input.behind(
                        CONNECTOR, Input.join(new byte[] {FAIL}, frame(OFFER), turn, new byte[] {FAIL}, connector)),
                Input.behind(0, Input.join(new byte[] {FULL, BEGIN, TURN, FULL, TURN, FRAME, READY, 1, 9}, turn)));
    }

    private static byte[] frame(int kind) {
        return new byte[] {FRAME, (byte) kind, 0};
    }

    @Override
    public void run(byte[] input) {
        Run run = new Run(new Input(input));
        try {
            run.go();
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.PROTOCOL_VIOLATION);
        }
        run.failback.close();
        Expect.that(!run.prepared, "what was prepared is neither used nor dropped");
    }

    /** One side, and what it was told. */
    private static final class Run implements LaneFailback.Lanes {
        final Input in;
        final boolean connector;
        final LaneFailback failback;
        boolean full;
        boolean connected;
        boolean failing;
        boolean unread;
        boolean unsent;

        boolean prepared;
        boolean stopped;
        boolean saidBack;
        boolean peerBack;
        boolean peerRead;
        boolean reads;
        boolean writes;
        int returns;

        Run(Input in) {
            this.in = in;
            connector = (in.u8() & CONNECTOR) != 0;
            EndpointHost host = (EndpointHost) Proxy.newProxyInstance(
                    EndpointHost.class.getClassLoader(),
                    new Class<?>[] {EndpointHost.class},
                    (_, method, arguments) -> switch (method.getName()) {
                        case "isConnector" -> connector;
                        case "label" -> "#1";
                        case "trySendFrame" -> trySend((ByteBuffer) arguments[0]);
                        case "returnedToLanes" -> {
                            returns++;
                            yield null;
                        }
                        case "stayedOffLanes" -> {
                            Expect.that(!connector, "the connector decides nothing");
                            Expect.line((String) arguments[0]);
                            yield null;
                        }
                        default -> throw new AssertionError("asks for " + method.getName());
                    });
            failback = new LaneFailback(host, this);
        }

        void go() {
            while (in.hasMore()) {
                switch (in.u8() % STEPS) {
                    case FRAME -> take((byte) in.u8(), in.bytes(in.u8() % 4));
                    case TURN -> {
                        int _ = failback.advance();
                    }
                    case BEGIN -> Expect.that(!failback.tryBegin() || !connector, "the connector has begun");
                    case FULL -> full = !full;
                    case CONNECTED -> connected = !connected;
                    case FAIL -> failing = !failing;
                    case UNREAD -> unread = !unread;
                    default -> unsent = !unsent;
                }
            }
        }

        private void take(byte kind, byte[] rest) {
            if (!LaneFailback.isKind(kind)) {
                return;
            }
            failback.take(kind, ByteBuffer.wrap(rest));
            peerBack |= kind == BACK;
            peerRead |= kind == READ;
            Expect.that(kind != READ || saidBack, "the peer has read what was not all sent");
        }

        private boolean trySend(ByteBuffer frame) {
            if (full) {
                return false;
            }
            int kind = frame.get();
            Expect.that(!frame.hasRemaining(), "a frame has more than its kind");
            Expect.that(kind != OFFER || !connector, "the connector offers");
            Expect.that(kind != STAY || !connector, "the connector decides");
            Expect.that(kind != BACK || stopped, "it says that it has sent all, and has not stopped");
            Expect.that(kind != READ || reads, "it says that it has read all, and has not");
            saidBack |= kind == BACK;
            return true;
        }

        private void mayFail() {
            if (failing) {
                throw new FairleadException(Reason.TRANSPORT, "there are no lanes");
            }
        }

        @Override
        public void prepare() {
            Expect.that(!prepared, "it prepares twice");
            mayFail();
            prepared = true;
        }

        @Override
        public void connect() {
            Expect.that(prepared, "it connects what is not prepared");
            mayFail();
        }

        @Override
        public boolean isConnected() {
            Expect.that(!connector, "the connector asks");
            mayFail();
            return connected;
        }

        @Override
        public void abandon() {
            prepared = false;
            stopped = false;
            saidBack = false;
            reads = false;
            writes = false;
            peerBack = false;
            peerRead = false;
        }

        @Override
        public boolean tryStopSending() {
            Expect.that(prepared, "it stops without lanes");
            stopped = !unsent;
            return stopped;
        }

        @Override
        public boolean tryReadLanes() {
            Expect.that(prepared && peerBack && !reads, "it turns to lanes before the peer has sent all");
            reads = !unread;
            return reads;
        }

        @Override
        public void writeLanes() {
            Expect.that(prepared && stopped && saidBack && peerRead && !writes, "it writes before the peer reads");
            writes = true;
        }

        @Override
        public void finish() {
            Expect.that(reads && writes, "it ends before both directions are back");
            // The next return has other lanes.
            abandon();
        }
    }
}
