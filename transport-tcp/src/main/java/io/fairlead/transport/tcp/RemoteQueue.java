package io.fairlead.transport.tcp;

import io.fairlead.AtomicOperation;
import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Puts, gets, atomics and flushes on their way out, in the order of their posts.
 *
 * <p>The peer serves them in the order of the stream, so there is nothing to do for order but for one case: the data of a get is read
 * while its answer is written, and that can be after a put behind it has arrived. So what stands behind a fence waits here
 * until every get before the fence has its data. The target must not do the waiting: two peers that stopped reading until they
 * have written could wait for each other for good.
 */
final class RemoteQueue {
    private static final Object PUT = new Object();
    private static final Object FENCED_PUT = new Object();

    private final TcpEndpoint endpoint;
    /** Operations that could not be encoded when they were posted, linked by {@link Operation#next}. */
    private @Nullable Operation first;

    private @Nullable Operation last;
    /** Gets that were encoded and are not complete. */
    private int getsOut;

    private boolean fenced;

    RemoteQueue(TcpEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    boolean isEmpty() {
        return first == null;
    }

    void fence() {
        fenced = true;
    }

    boolean put(Operation operation) {
        boolean behindFence = behindFence();
        if (first == null && !behindFence && operation.length() <= SendQueue.COPY_MAX && encodePut(operation)) {
            operation.complete(Status.OK, operation.length());
        } else {
            append(operation, behindFence ? FENCED_PUT : PUT);
        }
        endpoint.posted();
        return true;
    }

    boolean get(Operation operation) {
        return ask(Entry.Kind.GET, operation);
    }

    boolean atomic(Operation operation) {
        return ask(Entry.Kind.ATOMIC, operation);
    }

    boolean flush(Operation operation) {
        return ask(Entry.Kind.FLUSH, operation);
    }

    private boolean ask(Entry.Kind kind, Operation operation) {
        if (endpoint.asked.isFull()) {
            return false;
        }
        Entry entry =
                kind == Entry.Kind.FLUSH ? endpoint.asked.askFlush(operation) : endpoint.asked.ask(kind, operation);
        boolean behindFence = behindFence();
        if (first != null || behindFence || !encode(entry, operation)) {
            entry.fenced = behindFence;
            append(operation, entry);
        }
        endpoint.posted();
        return true;
    }

    /** Whether what is posted now has to wait for gets before a fence. */
    private boolean behindFence() {
        boolean wait = fenced && (getsOut > 0 || first != null);
        fenced = false;
        return wait;
    }

    private void append(Operation operation, Object attachment) {
        operation.attachment = attachment;
        Operation before = last;
        if (before == null) {
            first = operation;
        } else {
            before.next = operation;
        }
        last = operation;
    }

    private void removeFirst(Operation operation) {
        first = operation.next;
        operation.next = null;
        operation.attachment = null;
        if (first == null) {
            last = null;
        }
    }

    /** Encodes what there is room for, up to a put that has to be streamed. */
    void drain() {
        for (Operation operation = first; operation != null; operation = first) {
            if (waits(operation)) {
                return;
            }
            if (operation.attachment instanceof Entry entry) {
                if (!encode(entry, operation)) {
                    return;
                }
                removeFirst(operation);
            } else {
                if (operation.length() > SendQueue.COPY_MAX || !encodePut(operation)) {
                    return;
                }
                finishPut(operation);
            }
        }
    }

    /** Whether the first operation has to wait for gets before a fence. */
    @SuppressWarnings("ReferenceEquality")
    private boolean waits(Operation operation) {
        boolean behindFence =
                operation.attachment instanceof Entry entry ? entry.fenced : operation.attachment == FENCED_PUT;
        return behindFence && getsOut > 0;
    }

    /** The put whose turn it is to be streamed, or null. */
    @Nullable Operation streamedPut() {
        Operation operation = first;
        if (operation == null
                || operation.attachment instanceof Entry
                || operation.length() <= SendQueue.COPY_MAX
                || waits(operation)) {
            return null;
        }
        return operation;
    }

    /** All of the first operation, a put, is copied or with the socket. */
    void finishPut(Operation operation) {
        removeFirst(operation);
        operation.complete(Status.OK, operation.length());
    }

    /** A get has its data, or never will. */
    void getEnded() {
        getsOut--;
        if (getsOut == 0 && first != null) {
            endpoint.markDirty();
        }
    }

    private boolean encodePut(Operation operation) {
        int length = (int) operation.length();
        int header = Frame.header(operation.hasSignal() ? Frame.PUT_SIGNAL : Frame.PUT);
        int at = endpoint.queue.reserve(header + length);
        if (at < 0) {
            return false;
        }
        MemorySegment segment = endpoint.queue.segment();
        encodePutHeader(segment, at, operation, 0, length);
        try {
            MemorySegment.copy(operation.buffer(), operation.offset(), segment, at + header, length);
        } catch (RuntimeException | Error thrown) {
            endpoint.queue.shorten(header + length);
            throw thrown;
        }
        return true;
    }

    /** Writes the header of a put, or of a part of one; the signal goes with the last part. Returns the header's length. */
    static int encodePutHeader(MemorySegment segment, int at, Operation operation, long from, int length) {
        boolean signals = operation.hasSignal() && from + length == operation.length();
        int type = signals ? Frame.PUT_SIGNAL : Frame.PUT;
        Frame.word(segment, at, Frame.first(type, 0, length));
        Frame.word(segment, at + 8, region(operation));
        Frame.word(segment, at + 16, operation.remoteOffset() + from);
        if (signals) {
            Frame.word(segment, at + 24, operation.operand());
        }
        return Frame.header(type);
    }

    private boolean encode(Entry entry, Operation operation) {
        int type = switch (entry.kind) {
            case GET -> Frame.GET;
            case ATOMIC -> Frame.ATOMIC;
            default -> Frame.FLUSH;
        };
        int at = endpoint.queue.reserve(Frame.header(type));
        if (at < 0) {
            return false;
        }
        MemorySegment segment = endpoint.queue.segment();
        int flags = type == Frame.ATOMIC ? code(operation.atomic()) : 0;
        Frame.word(segment, at, Frame.first(type, flags, 0));
        Frame.word(segment, at + 8, entry.id);
        entry.sent = true;
        if (type != Frame.FLUSH) {
            Frame.word(segment, at + 16, region(operation));
            Frame.word(segment, at + 24, operation.remoteOffset());
        }
        if (type == Frame.GET) {
            Frame.word(segment, at + 32, operation.length());
            getsOut++;
        } else if (type == Frame.ATOMIC) {
            Frame.word(segment, at + 32, operation.operand());
            Frame.word(segment, at + 40, operation.compare());
        }
        return true;
    }

    private static long region(Operation operation) {
        return ((TcpRemoteMemory) operation.remote()).regionId();
    }

    static int code(AtomicOperation operation) {
        return switch (operation) {
            case ADD -> 0;
            case AND -> 1;
            case OR -> 2;
            case XOR -> 3;
            case SWAP -> 4;
            case COMPARE_SWAP -> 5;
        };
    }

    /** Cancels the puts; the other operations are cancelled by their table. */
    void close() {
        for (Operation operation = first; operation != null; operation = first) {
            boolean isPut = !(operation.attachment instanceof Entry);
            removeFirst(operation);
            if (isPut) {
                operation.complete(Status.CANCELLED, 0);
            }
        }
    }
}
