package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.node.Message;
import io.fairlead.node.NodeObserver;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A receive as its caller sees it. Each loop that it waits on has posted it as a {@link LoopReceive}.
 *
 * <p>Its caller can withdraw it at any moment and knows at once whether it lost a message, and of several loops one alone takes a message
 * for it: whoever changes the state from {@code WAITING} decides.
 */
final class NodeReceive extends WithdrawableOperation<Message> {
    private static final int WAITING = 0;
    private static final int MATCHED = 1;
    private static final int WITHDRAWN = 2;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(NodeReceive.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** Up to here a copy to the heap costs less than memory that somebody has to give back. */
    private static final long HEAP_MAX = 1 << 16;

    private static final MemorySegment EMPTY = MemorySegment.ofArray(new long[0]);

    final @Nullable NodePeer peer;
    final long tag;
    final long mask;
    private final NodeEngine node;
    private final long maxLength;
    private final @Nullable MemorySegment target;

    @SuppressWarnings("unused") // By STATE.
    private volatile int state;

    /** What each loop has posted, in the loop's place; in the first if there is but one. */
    private final @Nullable LoopReceive[] posted;

    // Of the loop that has the message.
    private NativePool.@Nullable Block block;
    private @Nullable MemorySegment memory;
    private @Nullable NodePeer source;
    private long messageTag;
    private MessageContext context = MessageContext.EMPTY;
    private MemorySegment content = EMPTY;
    private @Nullable Throwable failure;
    private boolean delivered;

    NodeReceive(
            NodeEngine node,
            @Nullable NodePeer peer,
            long tag,
            long mask,
            long maxLength,
            @Nullable MemorySegment target) {
        this.node = node;
        this.peer = peer;
        this.tag = tag;
        this.mask = mask;
        this.maxLength = maxLength;
        this.target = target;
        this.posted = new LoopReceive[peer == null ? node.loops().size() : 1];
    }

    /** Takes the receive for a message or an end; false if its caller has withdrawn it, or another loop was faster. */
    boolean tryMatch() {
        return STATE.compareAndSet(this, WAITING, MATCHED);
    }

    /** Whether nobody has ended it or matched it. */
    boolean isWaiting() {
        return state == WAITING;
    }

    @Override
    boolean tryWithdraw() {
        return STATE.compareAndSet(this, WAITING, WITHDRAWN);
    }

    // What a caller does with the future.

    @Override
    void withdrawn() {
        node.receives().withdrawn(this);
    }

    @Override
    public void obtrudeValue(Message value) {
        complete(value);
        super.obtrudeValue(value);
    }

    @Override
    public void obtrudeException(Throwable thrown) {
        completeExceptionally(thrown);
        super.obtrudeException(thrown);
    }

    // What the loop does.

    @Override
    public void accept(ProgressLoop from) {
        from.receives().add(this);
    }

    @Override
    public void refuse(FairleadException cause) {
        if (tryMatch()) {
            failNow(cause);
        }
    }

    /** Refuses a receive that was never counted. */
    void refuseWithoutPermit(FairleadException cause) {
        STATE.setVolatile(this, MATCHED);
        tellEnd(cause);
        endExceptionally(cause);
    }

    /** Fails on the calling thread a receive that no loop has, or will have; it must be matched. */
    void failNow(Throwable cause) {
        failure = cause;
        deliver();
    }

    /** Fails through the loop; the receive must be matched. */
    @Override
    void fail(ProgressLoop from, Throwable cause) {
        failure = cause;
        from.deliver(this);
    }

    /** A loop has posted it, and it waits there. */
    void posted(ProgressLoop by, LoopReceive receive) {
        posted[place(by)] = receive;
    }

    /** What a loop has posted; null if nothing. */
    @Nullable LoopReceive postedOn(ProgressLoop by) {
        return posted[place(by)];
    }

    private int place(ProgressLoop by) {
        return peer == null ? by.index() : 0;
    }

    /** Where the worker puts a message; shorter than the message if that is longer than allowed. */
    MemorySegment bufferFor(long length) {
        if (target == null) {
            if (length > maxLength || length == 0) {
                return MemorySegment.NULL;
            }
            return held(
                    length > HEAP_MAX ? node.pool().hold(length) : node.pool().stage(length));
        }
        if (target.isNative()) {
            return target;
        }
        long room = Math.min(target.byteSize(), length);
        MemorySegment staged = held(node.pool().stage(room));
        // The block may be longer than what the caller has room for.
        memory = room == length ? staged : staged.asSlice(0, room);
        return memory;
    }

    private MemorySegment held(NativePool.Block taken) {
        block = taken;
        memory = taken.segment();
        return memory;
    }

    /** The worker is done with the memory; {@link #deliver} tells the caller. */
    void ended(NodePeer from, Status status, long tagOfMessage, long length) {
        source = from;
        messageTag = tagOfMessage;
        if (failure != null) {
            return;
        }
        if (status == Status.OK) {
            content = content(length);
        } else if (status == Status.TRUNCATED) {
            failure = Failures.truncated(
                    from.toString(), tagOfMessage, length, target == null ? maxLength : target.byteSize());
        } else {
            failure = Failures.of(
                    "receive of tag " + tagOfMessage,
                    status == Status.CANCELLED ? Status.CLOSED : status,
                    from.toString(),
                    from.failure());
        }
    }

    /** What the message brings along. */
    void context(MessageContext brought) {
        context = brought;
    }

    /** Something went wrong after the match; {@link #deliver} tells the caller. */
    void failed(Throwable cause) {
        failure = cause;
    }

    /** The message where its receiver will find it: in memory of the caller's, on the heap, or in a block that the message keeps. */
    private MemorySegment content(long length) {
        MemorySegment filled = memory;
        if (target != null) {
            if (block != null && filled != null) {
                MemorySegment.copy(filled, 0, target, 0, length);
                releaseMemory();
            }
            return target.asSlice(0, length);
        }
        if (filled == null) {
            return EMPTY;
        }
        if (length > HEAP_MAX) {
            return filled.asSlice(0, length);
        }
        // An array of longs, because the segment of an array of bytes allows no aligned access.
        MemorySegment words = MemorySegment.ofArray(new long[(int) ((length + Long.BYTES - 1) / Long.BYTES)]);
        MemorySegment heap = length == words.byteSize() ? words : words.asSlice(0, length);
        MemorySegment.copy(filled, 0, heap, 0, length);
        releaseMemory();
        return heap;
    }

    private void releaseMemory() {
        if (block != null) {
            block.release();
        }
        block = null;
        memory = null;
    }

    @Override
    public void deliver() {
        if (delivered) {
            return;
        }
        delivered = true;
        node.receives().ended(source == null ? peer : source);
        Throwable cause = failure;
        if (cause != null) {
            releaseMemory();
            tellEnd(cause);
            endExceptionally(cause);
        } else {
            handOver(new NodeMessage(Objects.requireNonNull(source, "source"), messageTag, context, content, block));
        }
    }

    /** The observer may do something around what the future's callbacks do, but not instead. */
    private void handOver(NodeMessage message) {
        NodeObserver.Running told = message.context().isEmpty() ? null : observer();
        tellEnd(null);
        if (told != null) {
            tellDelivery(told, message, () -> end(message));
        }
        end(message);
    }
}
