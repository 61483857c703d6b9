package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LaneEndpoint;
import io.fairlead.spi.LaneFailback;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes an endpoint off UCX, sends its {@linkplain Batch batches} on the control connection meanwhile, and takes it back
 * to UCX. Everything of such an endpoint that has to be in order travels in batches, which both sides count, and the
 * sender keeps each one until the peer has reported it as read. So each side first gives up its UCX endpoint, then says how many batches it
 * has read, and sends again what the peer has not read.
 *
 * <p>Each side leaves a UCX endpoint once. It goes on when UCX has ended all of its requests: none of them may touch
 * memory of the application after that. {@link LaneFailback} is the way back, to another UCX endpoint.
 */
final class LaneSwitch implements LeavableLanes, LaneFailback.Lanes {
    /** The endpoint. */
    interface User {
        /** Posts no further one-sided operations; whether all have ended that UCX has no part in. */
        boolean tryStopOneSided();

        /** Gives up the UCX endpoint. Its requests end in later progress. */
        void leaveUcx();

        /** A message of the peer's transport has arrived in a batch. */
        void receive(TransportMessage message);

        /** The peer has read batches after {@link #isFull} was true. */
        void resumeAnswers();

        /**
         * Prepares another UCX endpoint.
         *
         * @param failing gets the cause if it cannot be connected
         * @throws FairleadException if that is not possible now
         */
        void prepareUcx(Consumer<FairleadException> failing);

        /** Begins to connect it. */
        void connectUcx();

        /** Whether it is connected. */
        boolean isUcxConnected();

        /** Drops it. */
        void abandonUcx();

        /** Uses it from now on. */
        void useUcx();
    }

    /** Kinds of frames: a byte, and a count of batches or a batch. */
    private static final byte LEFT = 1;

    private static final byte BATCH = 2;

    /** The peer's batches that are read without a report to it. Each uses memory of the peer. */
    private static final int REPORT_AT = 32;
    /** With more unread batches no answer is sent to a peer that asks and does not read. */
    private static final int KEPT_MAX = 512;
    /** With so many unread batches the next one fills. More than are read without a report. */
    private static final int HELD_UP_AT = 2 * REPORT_AT;
    /** What may arrive before this side goes on. A peer's credits are far less. */
    private static final long ARRIVED_MAX = 64 << 20;
    /** Turns without work of UCX after which nothing more arrives of a peer that has left too. */
    private static final int IDLE_TURNS = 16;
    /** The same on a worker with work of other endpoints: turns in which UCX has read all that was there, and time. */
    private static final int BUSY_TURNS = 256;

    private static final long BUSY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int UNKNOWN = -1;

    private static final String PEER_LEFT = "the peer has left UCX";

    private final UcxEndpointState state;
    private final EndpointHost host;
    private final WorkerParts worker;
    private final BatchOutbox batches;
    private final User user;
    private final LongMessages longs;
    private final EagerParts parts;
    private final RecordArrivals records;
    private final LaneFailback failback;

    // Outgoing.

    /** Batches that the peer has not reported, oldest first. */
    private final ArrayDeque<TransportMessage> kept = new ArrayDeque<>();
    /** The number of batches that were sent, or are to be, and the number that the peer has reported. */
    private long posted;

    private long acknowledged;
    /** The peer has read the batches before this one, or the control connection has them. */
    private long streamed;

    /** The last batch with more than a report. */
    private long content;
    /** A report was requested behind this batch. */
    private long asked;

    private boolean asking;

    private boolean full;

    // Incoming.

    private long read;
    private long reported;
    private final ArrayDeque<TransportMessage> arrived = new ArrayDeque<>();
    private long arrivedBytes;

    // Leaving.

    /** Why this side leaves; null if it does not. */
    private @Nullable String cause;

    private long failedNs;
    private boolean left;
    /** The peer knows that this side has left, and where. */
    private boolean said;

    private long leftAt;
    /** How many batches the peer had read when it left. */
    private long peerRead = UNKNOWN;

    private int turns;
    private int idleTurns;
    private long bothLeftNs;
    /** Both have left. */
    private boolean streaming;

    // Going back.

    /** Batches from this number on are sent by UCX, when the peer has read those before; else {@link #UNKNOWN}. */
    private long streamedTo = UNKNOWN;
    /** What UCX brings is read again. */
    private boolean reads;
    /** Why the attempt fails; null if it does not. */
    private @Nullable String broken;
    /** Why this side leaves the new lanes as soon as both directions use them. */
    private @Nullable String again;
    /** How many batches the peer had read when it left the new lanes. */
    private long peerReadAgain = UNKNOWN;

    private boolean listed;
    private @Nullable ByteBuffer frame;

    LaneSwitch(UcxEndpointState state, WorkerParts worker, BatchOutbox batches, User user) {
        this.state = state;
        this.host = state.host();
        this.worker = worker;
        this.batches = batches;
        this.user = user;
        this.longs = new LongMessages(state, worker, this, batches);
        this.parts = new EagerParts(state, worker.kept());
        this.records = new RecordArrivals(worker.kept());
        this.failback = new LaneFailback(host, this);
    }

    @Override
    public void sendLong(Operation operation) {
        longs.send(operation);
    }

    @Override
    public void longArrived(long handle, long length) {
        longs.arrived(handle, length);
    }

    // Batches that are sent.

    @Override
    public long report() {
        reported = read;
        return read;
    }

    @Override
    public void keep(TransportMessage batch) {
        posted++;
        if (batch.length > Batch.RECORDS && !asking) {
            content = posted;
        }
        batch.inUcx = !hasLeft();
        batch.acknowledged = false;
        kept.add(batch);
        if (!batch.inUcx) {
            list();
        }
    }

    @Override
    public void released(TransportMessage batch) {
        batch.inUcx = false;
        if (batch.acknowledged) {
            worker.messages().giveBack(batch);
        }
    }

    private void acknowledge(long count) {
        if (count < 0 || count > posted) {
            throw violation("report of batches that were not sent: reported=" + count + ", sent=" + posted);
        }
        streamed = Math.max(streamed, count);
        while (acknowledged < count) {
            acknowledged++;
            TransportMessage batch = kept.remove();
            batch.acknowledged = true;
            if (!batch.inUcx) {
                worker.messages().giveBack(batch);
            }
        }
        if (full && kept.size() <= KEPT_MAX / 2) {
            full = false;
            user.resumeAnswers();
        }
    }

    @Override
    public boolean isHeldUp() {
        return hasLeft() || kept.size() >= HELD_UP_AT;
    }

    @Override
    public boolean isFull() {
        full |= kept.size() > KEPT_MAX;
        return full;
    }

    /** Whether the peer has all that was sent. If not, it is asked to say so. */
    boolean isDrained() {
        batches.flush();
        if (acknowledged < content && asked < content) {
            asked = content;
            asking = true;
            batches.sendOwn(Batch.REPORT, 0);
            batches.flush();
            asking = false;
        }
        return acknowledged >= content && longs.isEmpty();
    }

    // Batches that arrive.

    @Override
    public boolean tryBegin(long report) {
        if (ignoresUcx()) {
            return false;
        }
        try {
            begin(report);
            return true;
        } catch (FairleadException violation) {
            state.fail(violation);
            return false;
        }
    }

    private void begin(long report) {
        acknowledge(report);
        read++;
        if (read - reported >= REPORT_AT) {
            batches.sendReport();
        }
    }

    @Override
    public boolean tryTake(long word, MemorySegment batch, int at, int length) {
        long number = batch.get(JAVA_LONG, at + Batch.RECORD_TAG);
        int payload = at + Batch.RECORD_PAYLOAD;
        int target = Batch.target(word);
        return switch (Batch.kind(word)) {
            case Batch.SIGNAL -> tryReceive(TransportMessage.SIGNAL, batch, payload, length);
            case Batch.SERVED -> tryReceive(TransportMessage.SERVED, batch, payload, length);
            case Batch.TAGGED_BEGIN -> parts.tryBeginTagged(number, batch, payload, length);
            case Batch.ACTIVE_BEGIN -> parts.tryBeginActive(target, batch, payload, length);
            case Batch.PART -> parts.tryTake(batch, payload, length);
            case Batch.TAGGED_LONG -> longs.tryAnnounce(number, batch, payload, length);
            case Batch.ACTIVE_LONG -> longs.tryAnnounceActive(target, batch, payload, length);
            case Batch.LONG_DONE -> longs.tryEnd(number);
            case Batch.LONG_WANTED -> longs.tryWant(number);
            case Batch.LONG_PART -> longs.tryTakePart(number, batch, payload, length);
            case Batch.REPORT -> {
                batches.sendReport();
                yield true;
            }
            default -> throw violation("record of an unknown kind: kind=" + Batch.kind(word));
        };
    }

    private boolean tryReceive(int kind, MemorySegment batch, int at, int length) {
        TransportMessage message = worker.messages().take();
        try {
            message.kind = kind;
            message.length = length;
            MemorySegment.copy(batch, at, message.memory, 0, length);
            user.receive(message);
        } finally {
            worker.messages().giveBack(message);
        }
        return !state.hasEnded();
    }

    // Leaving.

    @Override
    public boolean tryLeave(String why) {
        if (failback.isGoing() && again == null) {
            again = why;
            return true;
        }
        if (cause != null) {
            // An attempt to go back may be under way.
            broken = why;
            return false;
        }
        cause = why;
        failedNs = System.nanoTime();
        list();
        return true;
    }

    @Override
    public boolean hasLeft() {
        return left && !failback.isWriting();
    }

    @Override
    public boolean ignoresUcx() {
        return left && !reads;
    }

    @Override
    public boolean maySend() {
        return !left || streaming;
    }

    @Override
    public void list() {
        if (!listed) {
            listed = true;
            worker.leaving().add(this);
        }
    }

    /** Takes a frame of the peer; untrusted. */
    void take(ByteBuffer bytes) {
        byte kind = bytes.get();
        int length = bytes.remaining();
        if (kind == LEFT && length == Long.BYTES && (peerRead == UNKNOWN || mayPeerLeaveAgain())) {
            long count = bytes.order(ByteOrder.BIG_ENDIAN).getLong();
            if (count >= acknowledged && count <= posted) {
                if (peerRead == UNKNOWN) {
                    peerRead = count;
                } else {
                    peerReadAgain = count;
                }
                boolean _ = tryLeave(PEER_LEFT);
                list();
                return;
            }
        } else if (LaneFailback.isKind(kind) && said && peerRead != UNKNOWN) {
            // The peer may know that both have left before this side has gone on.
            failback.take(kind, bytes);
            list();
            return;
        } else if (kind == BATCH
                && peerRead != UNKNOWN
                && said
                && !failback.hasPeerStopped()
                && length >= Batch.RECORDS
                && length <= TransportMessage.CAPACITY) {
            arrivedBytes += length;
            if (arrivedBytes > ARRIVED_MAX) {
                throw violation("too much arrives of a peer that has left UCX: limit=" + ARRIVED_MAX + " bytes");
            }
            TransportMessage batch = worker.messages().take(length);
            batch.length = length;
            MemorySegment.copy(MemorySegment.ofBuffer(bytes), 0, batch.memory, 0, length);
            arrived.add(batch);
            list();
            return;
        }
        throw violation("frame of a lane makes no sense: kind=" + kind + ", length=" + length + " bytes");
    }

    private boolean mayPeerLeaveAgain() {
        return failback.mayPeerHaveFinished() && peerReadAgain == UNKNOWN;
    }

    @Override
    public boolean advance(boolean idle) {
        try {
            listed = !tryFinish(idle) && !state.hasEnded();
        } catch (FairleadException failure) {
            state.fail(failure);
            listed = false;
        } catch (RuntimeException | Error thrown) {
            state.failThrown(thrown);
            listed = false;
        }
        return !listed;
    }

    private boolean tryFinish(boolean idle) {
        if (state.hasEnded()) {
            return true;
        }
        if (cause == null) {
            // On its lanes, with payloads that were announced when it was not.
            return !hasMoreWanted();
        }
        if (!left && !tryLeaveUcx()) {
            return false;
        }
        if (!said) {
            said = host.trySendFrame(frame(LEFT).putLong(leftAt).flip());
        }
        if (!said || peerRead == UNKNOWN) {
            // The peer's word lists this again.
            return said;
        }
        if (!streaming) {
            if (!tryEndRequests(idle)) {
                return false;
            }
            goOn();
        }
        readArrived();
        boolean sent = trySend() && !hasMoreWanted() && trySend() && arrived.isEmpty();
        int _ = failback.advance();
        if (cause == null) {
            return !longs.hasWanted();
        }
        return left && sent && failback.isIdle();
    }

    /** Sends payloads that the peer wants, but not all in one turn: the worker has other peers. */
    private boolean hasMoreWanted() {
        if (longs.hasWanted() && kept.size() < HELD_UP_AT) {
            boolean _ = longs.sendWanted();
        }
        return longs.hasWanted();
    }

    private boolean tryLeaveUcx() {
        if (!user.tryStopOneSided() || state.isBeingRead()) {
            return false;
        }
        left = true;
        leftAt = read;
        longs.leave();
        user.leaveUcx();
        return true;
    }

    /** UCX ends the requests of an endpoint that is gone, but for receives whose messages never arrive whole. */
    private boolean tryEndRequests(boolean idle) {
        long nowNs = System.nanoTime();
        if (turns++ == 0) {
            bothLeftNs = nowNs;
        }
        idleTurns = idle ? idleTurns + 1 : 0;
        boolean over = idleTurns > IDLE_TURNS || (turns > BUSY_TURNS && nowNs - bothLeftNs > BUSY_NS);
        if (over && !state.isIdle()) {
            worker.requests().abandon(state);
        }
        return state.isIdle();
    }

    private void goOn() {
        acknowledge(peerRead);
        state.beginEpoch();
        streamed = acknowledged;
        streaming = true;
        long replayed = 0;
        for (TransportMessage batch : kept) {
            replayed += batch.length;
        }
        longs.goOn();
        host.leftLanes(String.valueOf(cause), System.nanoTime() - failedNs, replayed);
    }

    private void readArrived() {
        for (TransportMessage batch = arrived.poll(); batch != null; batch = arrived.poll()) {
            arrivedBytes -= batch.length;
            try {
                begin(batch.memory.get(JAVA_LONG, 0));
                int at = Batch.RECORDS;
                while (at != 0 && at < batch.length && !state.hasEnded()) {
                    at = records.take(state, batch.memory, at, batch.length);
                }
            } finally {
                worker.messages().giveBack(batch);
            }
        }
    }

    /** Sends batches; false if the control connection is full. */
    private boolean trySend() {
        if (!trySendKept()) {
            return false;
        }
        batches.flush();
        return trySendKept();
    }

    private boolean trySendKept() {
        long end = streamedTo == UNKNOWN ? posted : streamedTo;
        if (streamed >= end) {
            return true;
        }
        long skipped = streamed - acknowledged;
        for (TransportMessage batch : kept) {
            if (skipped-- > 0) {
                continue;
            }
            if (streamed == end) {
                return true;
            }
            ByteBuffer bytes = frame(BATCH);
            bytes.put(batch.memory.asSlice(0, batch.length).asByteBuffer());
            if (!host.trySendFrame(bytes.flip())) {
                return false;
            }
            streamed++;
        }
        return true;
    }

    // Going back.

    /** Tries to go back to UCX, beginning in the next turn; as {@link LaneEndpoint#tryReturnToLanes}. */
    boolean tryReturn() {
        boolean begins = streaming && failback.tryBegin();
        if (begins) {
            list();
        }
        return begins;
    }

    @Override
    public void prepare() {
        broken = null;
        user.prepareUcx(failure -> broken = failure.getMessage());
    }

    @Override
    public void connect() {
        user.connectUcx();
    }

    @Override
    public boolean isConnected() {
        if (broken != null) {
            throw new FairleadException(Reason.TRANSPORT, broken);
        }
        return user.isUcxConnected();
    }

    @Override
    public void abandon() {
        if (!state.hasEnded()) {
            user.abandonUcx();
        }
    }

    @Override
    public boolean tryStopSending() {
        if (streamedTo == UNKNOWN) {
            streamedTo = posted;
        }
        return streamed >= streamedTo;
    }

    @Override
    public boolean tryReadLanes() {
        reads = arrived.isEmpty();
        return reads;
    }

    @Override
    public void writeLanes() {
        long skipped = streamedTo - acknowledged;
        for (TransportMessage batch : kept) {
            if (skipped-- <= 0) {
                batch.inUcx = true;
                batches.sendByUcx(batch);
            }
        }
    }

    @Override
    public void finish() {
        left = false;
        reads = false;
        streaming = false;
        said = false;
        cause = null;
        turns = 0;
        idleTurns = 0;
        streamedTo = UNKNOWN;
        user.useUcx();
        String next = again == null ? broken : again;
        peerRead = peerReadAgain;
        again = null;
        broken = null;
        peerReadAgain = UNKNOWN;
        if (next != null) {
            boolean _ = tryLeave(next);
        }
    }

    private ByteBuffer frame(byte kind) {
        ByteBuffer bytes = frame;
        if (bytes == null) {
            bytes = ByteBuffer.allocateDirect(LaneEndpoint.FRAME_MAX);
            frame = bytes;
        }
        return bytes.clear().put(kind);
    }

    private FairleadException violation(String how) {
        return new FairleadException(Reason.PROTOCOL_VIOLATION, how + ", endpoint=" + host.label());
    }

    /** The endpoint has ended. */
    void close() {
        CloseSteps.runAll(failback::close, this::giveBackBatches, longs::cancel, parts::cancel);
    }

    private void giveBackBatches() {
        for (TransportMessage batch : kept) {
            batch.acknowledged = true;
            if (!batch.inUcx) {
                worker.messages().giveBack(batch);
            }
        }
        kept.clear();
        arrived.forEach(worker.messages()::giveBack);
        arrived.clear();
    }
}
