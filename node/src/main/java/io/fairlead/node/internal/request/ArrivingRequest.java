package io.fairlead.node.internal.request;

import io.fairlead.ActiveMessage;
import io.fairlead.FairleadException;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.internal.frame.RequestFrame;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.memory.NativePool.Block;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request of a peer while it arrives: its header, its memory until that is released, and the context of its caller. */
abstract class ArrivingRequest implements LongPayloads.Payload {
    final PeerRequests requests;
    final int id;

    private @Nullable Block block;
    private MemorySegment segment = MemorySegment.NULL;
    private int contextLength;
    private MessageContext context = MessageContext.EMPTY;
    private long tag;
    long dueNs;

    /** Its memory counts among what is held of the peer's requests. */
    private boolean held;

    /** A request whose header is here. */
    ArrivingRequest(PeerRequests requests, int id) {
        this.requests = requests;
        this.id = id;
    }

    /** All of it is here. On the loop's thread. */
    abstract void received();

    /** Ends it before a handler has seen it. */
    abstract void refuse(RequestStatus status, String text);

    final ProgressLoop loop() {
        return requests.loop();
    }

    /** The tag of the service that it is for. */
    public final long tag() {
        return tag;
    }

    /** Bytes of the message. */
    public final long length() {
        return segment.byteSize();
    }

    /** The context of the caller; empty until all of the request is here. */
    public final MessageContext context() {
        return context;
    }

    /** The message, in memory that {@link #releaseMemory} ends. */
    final MemorySegment content() {
        return segment;
    }

    /** The message of the request is here, and its payload too unless that is long. Inside the message's handler. */
    final void arrived(ActiveMessage message) {
        MemorySegment frame = message.buffer();
        long payload = message.length();
        int contextLength = RequestFrame.contextLength(frame);
        try {
            readHeader(frame, payload, contextLength);
        } catch (FairleadException malformed) {
            requests.violated(malformed);
            return;
        }
        long length = payload - contextLength;
        if (payload > 0 && !tryTakeMemory(payload)) {
            countArrival();
            refuse(RequestStatus.RESOURCE_EXHAUSTED, tooLong(length));
            return;
        }
        Block taken = block;
        segment = taken == null ? MemorySegment.NULL : taken.content(length);
        this.contextLength = contextLength;
        if (message.isWhole()) {
            if (taken != null) {
                MemorySegment.copy(frame, message.headerLength(), taken.segment(), 0, payload);
            }
            received();
        } else {
            requests.receive(message, Objects.requireNonNull(taken, "block").segment(), this);
        }
    }

    private void readHeader(MemorySegment frame, long payload, int contextLength) {
        long leftNs = RequestFrame.timeLeftNs(frame);
        if (contextLength > payload || contextLength > MessageContext.BYTES_MAX) {
            throw RequestFrame.violation(
                    "contextLength=" + contextLength + " in a request of a payload of " + payload + " bytes");
        }
        if (leftNs <= 0 || leftNs > RequestFrame.TIME_LEFT_MAX_NS) {
            throw RequestFrame.violation(
                    "timeLeft=" + leftNs + " ns, allowed 1 to " + RequestFrame.TIME_LEFT_MAX_NS + " ns");
        }
        tag = RequestFrame.service(frame);
        dueNs = System.nanoTime() + leftNs;
    }

    private boolean tryTakeMemory(long payload) {
        if (payload > MessageContext.BYTES_MAX + requests.messageMax()
                || !requests.served().tryHold(heldBytes(payload))) {
            return false;
        }
        try {
            block = loop().group().pool().hold(payload);
            held = true;
            return true;
        } catch (OutOfMemoryError none) {
            requests.served().release(heldBytes(payload));
            return false;
        }
    }

    private static long heldBytes(long payload) {
        return RequestFrame.REQUEST_HEADER_LENGTH + payload;
    }

    /** Reads the context behind the message; false if it is malformed, which ends the connection. */
    final boolean tryReadContext() {
        if (contextLength == 0) {
            return true;
        }
        try {
            context = MessageContext.decode(
                    Objects.requireNonNull(block, "block").segment(), segment.byteSize(), contextLength);
            return true;
        } catch (FairleadException malformed) {
            releaseMemory();
            requests.violated(malformed);
            return false;
        }
    }

    final String tooLong(long length) {
        return length > requests.messageMax()
                ? "the request is longer than the peer takes: length=" + length + ", node.message-max="
                        + requests.messageMax() + " bytes; send less"
                : "the peer has no memory for the request, or holds as many bytes of requests as it takes: limit="
                        + requests.served().bytesMax()
                        + " bytes for one peer, and node.queue-bytes for all; wait for replies and call again";
    }

    final void countArrival() {
        requests.counters().add(RequestCounter.RECEIVED);
        requests.counters().add(RequestCounter.SERVED_NOW);
    }

    /** Its memory no longer counts in the bound on the peer's requests; only a handler that does not answer still has it. */
    final synchronized void stopHolding() {
        if (held) {
            held = false;
            requests.served().release(heldBytes(segment.byteSize() + contextLength));
        }
    }

    /** Releases the memory of the request, once. */
    final synchronized void releaseMemory() {
        Block taken = block;
        if (taken != null) {
            block = null;
            taken.release();
            stopHolding();
        }
    }
}
