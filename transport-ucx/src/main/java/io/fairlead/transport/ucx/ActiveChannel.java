package io.fairlead.transport.ucx;

import io.fairlead.ActiveMessage;
import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;

/**
 * The active messages of one endpoint. They have source number 0, as the transport's own messages do, so that no
 * receive matches them. A short message travels in a {@linkplain BatchOutbox batch}. A longer eager one is one UCX
 * message with header and payload. One beyond the eager limit is a message with the header, followed by one with the
 * payload, which stays at the sender.
 */
final class ActiveChannel {
    private static final int NO_TARGET = -1;

    private final UcxEndpointState state;
    private final EndpointHost host;
    private final UnmatchedMessages unmatched;
    private final TransportChannel channel;
    private final TagChannel messages;
    private final BatchOutbox batches;
    /** The header and the target of the payload that is announced next. */
    private final MemorySegment header = MemorySegment.ofArray(new byte[ActiveMessage.HEADER_MAX]);

    private int target = NO_TARGET;

    ActiveChannel(
            UcxEndpointState state,
            UnmatchedMessages unmatched,
            TransportChannel channel,
            TagChannel messages,
            BatchOutbox batches) {
        this.state = state;
        this.host = state.host();
        this.unmatched = unmatched;
        this.channel = channel;
        this.messages = messages;
        this.batches = batches;
    }

    /** Sends or copies a message that travels in a batch; false if it does not. */
    boolean trySend(int handler, MemorySegment activeHeader, MemorySegment buffer, long offset, long length) {
        int headerLength = (int) activeHeader.byteSize();
        if (!batches.takesGathered(length + headerLength)) {
            return false;
        }
        batches.sendActive(TransportMessage.target(handler, headerLength), activeHeader, buffer, offset, (int) length);
        return true;
    }

    void send(Operation operation) {
        LeavableLanes lanes = state.lanes();
        if (lanes != null) {
            messages.send(operation, lanes);
            return;
        }
        int headerLength = (int) operation.header().byteSize();
        long length = operation.length();
        if (batches.takesGathered(length + headerLength)) {
            batches.send(operation);
            operation.complete(Status.OK, length);
        } else if (length > host.eagerMax()) {
            channel.sendActiveHeader(operation);
            sendPayload(operation);
        } else {
            batches.flush();
            messages.sendGather(
                    operation, TransportMessage.activeTag(TransportMessage.ACTIVE, operation, host.sourceId()));
            state.countOtherSent();
        }
    }

    private void sendPayload(Operation operation) {
        try {
            messages.send(
                    operation, TransportMessage.activeTag(TransportMessage.ACTIVE_PAYLOAD, operation, host.sourceId()));
            state.countOtherSent();
        } catch (IllegalStateException closed) {
            // The peer waits for the payload.
            state.failMemoryClosed(closed);
            operation.complete(Status.CANCELLED, 0);
        }
    }

    /** A part of an active message has begun to arrive, with UCX's handle. */
    void arrived(long handle, long tag, long length) {
        state.countOtherTaken();
        int arrivedTarget = TransportMessage.target(tag);
        boolean taken = false;
        try {
            taken = switch (TransportMessage.kind(tag)) {
                case TransportMessage.ACTIVE -> tryReceive(handle, arrivedTarget, length);
                case TransportMessage.ACTIVE_HEADER -> tryTakeHeader(handle, arrivedTarget, length);
                default -> tryAnnounce(handle, arrivedTarget, length);
            };
        } catch (RuntimeException | Error thrown) {
            state.failThrown(thrown);
        }
        if (!taken) {
            unmatched.discard(handle);
        }
    }

    private boolean tryReceive(long handle, int arrivedTarget, long length) {
        Arrival arrival = host.activeArrived(
                TransportMessage.number(arrivedTarget), TransportMessage.headerLength(arrivedTarget), length);
        if (arrival == null) {
            return false;
        }
        arrival.word = handle;
        messages.receiveMessage(arrival);
        return true;
    }

    /** A header is shorter than any fragment of UCX, so it is here. */
    private boolean tryTakeHeader(long handle, int arrivedTarget, long length) {
        int headerLength = TransportMessage.headerLength(arrivedTarget);
        if (target != NO_TARGET || length != headerLength || length > ActiveMessage.HEADER_MAX) {
            state.failViolation("header of an active message makes no sense: headerLength=" + headerLength + ", length="
                    + length + " bytes");
            return false;
        }
        MemorySegment bytes = unmatched.take(handle, length);
        if (bytes == null) {
            state.failViolation("header of an active message did not arrive whole: length=" + length + " bytes");
        } else {
            MemorySegment.copy(bytes, 0, header, 0, length);
            target = arrivedTarget;
        }
        return true;
    }

    private boolean tryAnnounce(long handle, int arrivedTarget, long length) {
        if (target != arrivedTarget) {
            state.failViolation("payload of an active message without its header: length=" + length + " bytes");
            return false;
        }
        target = NO_TARGET;
        Arrival arrival = host.activeAnnounced(
                TransportMessage.number(arrivedTarget),
                header,
                0,
                TransportMessage.headerLength(arrivedTarget),
                length);
        if (arrival == null) {
            return false;
        }
        arrival.word = handle;
        return true;
    }
}
