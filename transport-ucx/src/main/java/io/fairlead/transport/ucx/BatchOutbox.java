package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The short messages of one endpoint on their way to the peer. The first one of a turn is sent inside its post. Further
 * ones are copied to a {@linkplain Batch batch}, which is sent when it is full, before any other message of the endpoint,
 * and with the next progress. While UCX has no capacity for an earlier batch, the next one fills. The credits of the
 * peer bound the copies.
 */
final class BatchOutbox implements UcxRequest.Owner, DueParts.Part {
    /** A further message of a turn that is longer travels alone: a copy takes longer than a UCX message. */
    private static final int TAGGED_MAX = 2048;

    private final UcxEndpointState state;
    private final UcxRequests requests;
    private final MessagePool pool;
    private final DueParts due;
    /** Longer messages may use rendezvous, whose data arrives after later messages. */
    private final int capacity;
    /** The maximum payload of a record. */
    private final int recordMax;

    /** The batch that is being filled; null if there is none. */
    private @Nullable TransportMessage filling;
    /** A message was sent in this turn. */
    private boolean sentInTurn;
    /** The number of batches that wait in UCX. */
    private int waiting;

    BatchOutbox(UcxEndpointState state, UcxRequests requests, MessagePool pool, DueParts due) {
        this.state = state;
        this.requests = requests;
        this.pool = pool;
        this.due = due;
        this.capacity = Math.min(state.host().eagerMax(), TransportMessage.CAPACITY) & -Long.BYTES;
        this.recordMax = capacity - Batch.RECORDS - Batch.RECORD_PAYLOAD;
    }

    @Override
    public UcxEndpointState state() {
        return state;
    }

    /** Whether a tagged message of one buffer travels in a batch. If not, it is sent next. */
    boolean takes(long length) {
        return length <= recordMax && (length <= TAGGED_MAX || !sentInTurn || state.lanes() != null);
    }

    /**
     * Whether an active message of this length, header and payload, travels in a batch, or a tagged one of several
     * buffers: alone they would need a list of their parts.
     */
    boolean takesGathered(long length) {
        return length <= recordMax;
    }

    /** The maximum payload of a record. */
    int recordMax() {
        return recordMax;
    }

    /** Whether no message was sent in this turn; one is now. */
    private boolean isFirst() {
        boolean first = !sentInTurn;
        if (first) {
            sentInTurn = true;
            due.add(this);
        }
        return first;
    }

    /** Sends or copies a tagged message that {@linkplain #takes fits}. */
    void send(MemorySegment buffer, long offset, int length, long messageTag) {
        TransportMessage batch = claim(length);
        long at = batch.length;
        // First, because it may throw: the memory may be closed.
        MemorySegment.copy(buffer, offset, batch.memory, at + Batch.RECORD_PAYLOAD, length);
        publish(batch, Batch.TAGGED, 0, messageTag, length);
    }

    /** Sends or copies an active message that {@linkplain #takesGathered fits}. */
    void sendActive(int target, MemorySegment header, MemorySegment buffer, long offset, int length) {
        int headerLength = (int) header.byteSize();
        TransportMessage batch = claim(headerLength + length);
        long at = batch.length;
        MemorySegment.copy(header, 0, batch.memory, at + Batch.RECORD_PAYLOAD, headerLength);
        MemorySegment.copy(buffer, offset, batch.memory, at + Batch.RECORD_PAYLOAD + headerLength, length);
        publish(batch, Batch.ACTIVE, target, 0, headerLength + length);
    }

    /** Sends or copies a message that fits, tagged or active, with one buffer or several. */
    void send(Operation operation) {
        int length = (int) operation.length();
        MemorySegment[] buffers = operation.buffers();
        boolean active = operation.isActive();
        if (buffers == null) {
            if (active) {
                sendActive(
                        TransportMessage.target(operation),
                        operation.header(),
                        operation.buffer(),
                        operation.offset(),
                        length);
            } else {
                send(operation.buffer(), operation.offset(), length, operation.tag());
            }
            return;
        }
        int headerLength = active ? (int) operation.header().byteSize() : 0;
        TransportMessage batch = claim(headerLength + length);
        long at = (long) batch.length + Batch.RECORD_PAYLOAD;
        if (active) {
            MemorySegment.copy(operation.header(), 0, batch.memory, at, headerLength);
            at += headerLength;
        }
        for (MemorySegment buffer : buffers) {
            MemorySegment.copy(buffer, 0, batch.memory, at, buffer.byteSize());
            at += buffer.byteSize();
        }
        if (active) {
            publish(batch, Batch.ACTIVE, TransportMessage.target(operation), 0, headerLength + length);
        } else {
            publish(batch, Batch.TAGGED, 0, operation.tag(), length);
        }
    }

    // Records of endpoints that may leave their lanes.

    /** Sends or copies a record with a number alone. */
    void sendOwn(int kind, long number) {
        TransportMessage batch = claim(0);
        publish(batch, kind, 0, number, 0);
    }

    /** Sends or copies a message of the transport. */
    void sendOwn(int kind, TransportMessage message) {
        TransportMessage batch = claim(message.length);
        MemorySegment.copy(message.memory, 0, batch.memory, batch.length + Batch.RECORD_PAYLOAD, message.length);
        publish(batch, kind, 0, 0, message.length);
    }

    /** Sends or copies bytes of a payload. */
    void sendPart(int kind, long number, Operation operation, long from, int length) {
        TransportMessage batch = claim(length);
        Payload.copy(operation, from, length, batch.memory, (long) batch.length + Batch.RECORD_PAYLOAD);
        publish(batch, kind, 0, number, length);
    }

    /**
     * Sends or copies the announcement of a long message.
     *
     * @param asked whether the payload comes when the peer asks for it; else UCX sends it
     */
    void announce(Operation operation, boolean asked) {
        long length = asked ? ~operation.length() : operation.length();
        boolean active = operation.isActive();
        int header = active ? (int) operation.header().byteSize() : 0;
        TransportMessage batch = claim(Long.BYTES + header);
        long at = (long) batch.length + Batch.RECORD_PAYLOAD;
        batch.memory.set(JAVA_LONG, at, length);
        if (active) {
            MemorySegment.copy(operation.header(), 0, batch.memory, at + Long.BYTES, header);
            publish(batch, Batch.ACTIVE_LONG, TransportMessage.target(operation), 0, Long.BYTES + header);
        } else {
            publish(batch, Batch.TAGGED_LONG, 0, operation.tag(), Long.BYTES);
        }
    }

    /**
     * Copies an eager message that is longer than a record. False if the endpoint has failed, because the memory was closed
     * meanwhile.
     *
     * @throws IllegalStateException if its memory is closed; then nothing was sent
     */
    boolean trySendInParts(Operation operation) {
        boolean active = operation.isActive();
        int header = active ? (int) operation.header().byteSize() : 0;
        long length = operation.length();
        int first = (int) Math.min(length, recordMax - Long.BYTES - header);
        TransportMessage batch = claim(Long.BYTES + header + first);
        long at = (long) batch.length + Batch.RECORD_PAYLOAD;
        batch.memory.set(JAVA_LONG, at, header + length);
        if (active) {
            MemorySegment.copy(operation.header(), 0, batch.memory, at + Long.BYTES, header);
        }
        Payload.copy(operation, 0, first, batch.memory, at + Long.BYTES + header);
        publish(
                batch,
                active ? Batch.ACTIVE_BEGIN : Batch.TAGGED_BEGIN,
                active ? TransportMessage.target(operation) : 0,
                active ? 0 : operation.tag(),
                Long.BYTES + header + first);
        try {
            for (long sent = first; sent < length; ) {
                int part = (int) Math.min(length - sent, recordMax);
                sendPart(Batch.PART, 0, operation, sent, part);
                sent += part;
            }
            return true;
        } catch (IllegalStateException closed) {
            // The peer waits for the rest.
            state.failMemoryClosed(closed);
            return false;
        }
    }

    /** Says how many batches of the peer were read. */
    void sendReport() {
        TransportMessage batch = filling;
        if (batch == null) {
            batch = pool.take();
            batch.length = Batch.RECORDS;
        }
        filling = null;
        post(batch, true);
    }

    private void publish(TransportMessage batch, int kind, int target, long number, int length) {
        batch.memory.set(JAVA_LONG, batch.length, Batch.word(kind, target, length));
        batch.memory.set(JAVA_LONG, batch.length + Batch.RECORD_TAG, number);
        batch.length += Batch.recordLength(length);
        if (isFirst() && !isHeldUp()) {
            post(batch);
        }
    }

    /** The batch with room for a record. */
    private TransportMessage claim(int payload) {
        TransportMessage batch = filling;
        if (batch != null && batch.length + Batch.recordLength(payload) > capacity) {
            post(batch);
            batch = null;
        }
        if (batch == null) {
            batch = pool.take();
            batch.length = Batch.RECORDS;
            filling = batch;
        }
        return batch;
    }

    /** Whether earlier batches wait for the peer: the next one fills, instead of one for each message. */
    private boolean isHeldUp() {
        LeavableLanes lanes = state.lanes();
        return lanes != null && lanes.isHeldUp();
    }

    /** Sends what was copied, before a message that must not overtake it. */
    void flush() {
        TransportMessage batch = filling;
        if (batch != null) {
            post(batch);
        }
    }

    /** A new turn begins: sends the batch. False if it may fill further, because UCX has no capacity now. */
    @Override
    public boolean takeTurn() {
        LeavableLanes lanes = state.lanes();
        if (lanes != null && lanes.hasLeft()) {
            // It takes the batch when the control connection has capacity.
            lanes.list();
        } else if ((waiting > 0 || isHeldUp()) && !state.hasEnded()) {
            return false;
        } else {
            flush();
        }
        sentInTurn = false;
        return true;
    }

    private void post(TransportMessage batch) {
        filling = null;
        post(batch, false);
    }

    private void post(TransportMessage batch, boolean empty) {
        if ((batch.length == Batch.RECORDS && !empty) || state.hasEnded()) {
            pool.giveBack(batch);
            return;
        }
        LeavableLanes lanes = state.lanes();
        if (lanes == null) {
            state.markDirty();
            batch.memory.set(JAVA_LONG, 0, state.sent());
        } else {
            batch.memory.set(JAVA_LONG, 0, lanes.report());
            lanes.keep(batch);
            if (lanes.hasLeft()) {
                return;
            }
        }
        sendByUcx(batch);
    }

    /** Sends a batch that the control connection does not carry. */
    void sendByUcx(TransportMessage batch) {
        long answer = Ucp.tagSend(
                state.handle(),
                batch.address,
                batch.length,
                state.laneTag(TransportMessage.BATCH),
                requests.plain.of(requests.nextIndex()));
        if (answer == 0) {
            release(batch);
            return;
        }
        UcxRequest request = requests.take(UcxRequest.Kind.BATCH, this, null, batch.length);
        request.message = batch;
        waiting++;
        requests.posted(request, answer);
    }

    @Override
    public void ended(UcxRequest request) {
        waiting--;
        release(request.message());
    }

    /** UCX has sent a batch. */
    private void release(TransportMessage batch) {
        LeavableLanes lanes = state.lanes();
        if (lanes == null) {
            pool.giveBack(batch);
        } else {
            lanes.released(batch);
        }
    }

    /** The endpoint has ended: what was copied is lost. */
    void close() {
        TransportMessage batch = filling;
        filling = null;
        if (batch != null) {
            pool.giveBack(batch);
        }
    }
}
