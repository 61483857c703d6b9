package io.fairlead.node.internal.receive;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.node.Message;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.loop.WithdrawableOperation;
import io.fairlead.node.internal.memory.NativePool;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A receive as its caller sees it. Each loop that it waits on has posted it as a {@link LoopReceives.Posted}.
 *
 * <p>Its caller can withdraw it at any moment, and learns at once whether a message was lost. Only one of several loops takes a message for it.
 * The first change of the state from {@code WAITING} decides.
 */
public final class NodeReceive extends WithdrawableOperation<Message> {
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

    final @Nullable SourcePeer peer;
    public final long tag;
    final long mask;
    private final NodeReceives receives;
    private final long maxLength;
    private final @Nullable MemorySegment target;

    @SuppressWarnings("unused") // By STATE.
    private volatile int state;

    /** What each loop has posted, at the loop's index; at 0 if it waits on one loop only. */
    private final LoopReceives.@Nullable Posted[] posted;

    // Used by the loop that has the message.
    private NativePool.@Nullable Block block;
    private @Nullable MemorySegment memory;
    private @Nullable SourcePeer source;
    private long messageTag;
    private MessageContext context = MessageContext.EMPTY;
    private MemorySegment content = NodeMessage.EMPTY;
    private @Nullable Throwable failure;
    private boolean delivered;

    NodeReceive(
            NodeReceives receives,
            @Nullable SourcePeer peer,
            long tag,
            long mask,
            long maxLength,
            @Nullable MemorySegment target) {
        this.receives = receives;
        this.peer = peer;
        this.tag = tag;
        this.mask = mask;
        this.maxLength = maxLength;
        this.target = target;
        this.posted = new LoopReceives.Posted[peer == null ? receives.loopCount() : 1];
    }

    /** Takes the receive for a message or an end. Returns false if its caller has withdrawn it, or another loop was faster. */
    boolean tryMatch() {
        return STATE.compareAndSet(this, WAITING, MATCHED);
    }

    /** Whether it has neither ended nor matched. */
    boolean isWaiting() {
        return state == WAITING;
    }

    @Override
    protected boolean tryWithdraw() {
        return STATE.compareAndSet(this, WAITING, WITHDRAWN);
    }

    // What a caller does with the future.

    @Override
    protected void withdrawn() {
        receives.withdrawn(this);
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
        receives.on(from).add(this);
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
        notifyEnd(cause);
        endExceptionally(cause);
    }

    /** Fails on the calling thread a receive that no loop has, or will have; it must be matched. */
    void failNow(Throwable cause) {
        failure = cause;
        deliver();
    }

    /** Fails through the loop; the receive must be matched. */
    @Override
    public void fail(ProgressLoop from, Throwable cause) {
        failure = cause;
        from.deliver(this);
    }

    /** A loop has posted it, and it waits there. */
    void posted(ProgressLoop by, LoopReceives.Posted receive) {
        posted[index(by)] = receive;
    }

    /** What a loop has posted; null if nothing. */
    LoopReceives.@Nullable Posted postedOn(ProgressLoop by) {
        return posted[index(by)];
    }

    private int index(ProgressLoop by) {
        return peer == null ? by.index() : 0;
    }

    /** Where the worker puts a message; shorter than the message if that is longer than allowed. */
    MemorySegment bufferFor(long length) {
        if (target == null) {
            if (length > maxLength || length == 0) {
                return MemorySegment.NULL;
            }
            return held(
                    length > NodeMessage.HEAP_MAX
                            ? receives.pool().hold(length)
                            : receives.pool().stage(length));
        }
        if (target.isNative()) {
            return target;
        }
        long fitting = Math.min(target.byteSize(), length);
        MemorySegment staged = held(receives.pool().stage(fitting));
        // The block may be longer than the caller's memory.
        memory = fitting == length ? staged : staged.asSlice(0, fitting);
        return memory;
    }

    private MemorySegment held(NativePool.Block taken) {
        block = taken;
        memory = taken.segment();
        return memory;
    }

    /** The worker is done with the memory. {@link #deliver} completes the future. */
    void ended(SourcePeer from, Status status, long tagOfMessage, long length) {
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

    /** The context of the message. */
    void context(MessageContext brought) {
        context = brought;
    }

    /** Something failed after the match. {@link #deliver} completes the future. */
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
            return NodeMessage.EMPTY;
        }
        if (length > NodeMessage.HEAP_MAX) {
            return filled.asSlice(0, length);
        }
        MemorySegment heap = NodeMessage.toHeap(filled, 0, length);
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
        receives.ended(source == null ? peer : source);
        Throwable cause = failure;
        if (cause != null) {
            releaseMemory();
            notifyEnd(cause);
            endExceptionally(cause);
        } else {
            endWith(new NodeMessage(Objects.requireNonNull(source, "source"), messageTag, context, content, block));
        }
    }

    /** The observer may do something around what the future's callbacks do, but not instead. */
    private void endWith(NodeMessage message) {
        NodeObserver.Running observed = message.context().isEmpty() ? null : observer();
        notifyEnd(null);
        if (observed != null) {
            notifyDelivery(observed, message, () -> end(message));
        }
        end(message);
    }
}
