package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.node.Message;
import io.fairlead.node.NodeObserver;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A receive: what the caller waits for, and the completion of the engine's receive once a message has matched.
 *
 * <p>Matching takes place in the node and not in the engine, so that a buffer is made when the length is known, a receive without a
 * peer can serve several progress threads, and a caller can withdraw it at any moment and know at once whether it lost a message:
 * whoever changes the state from {@code WAITING} decides.
 */
final class NodeReceive extends NodeOperation<Message> {
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

    /** Published by the state. */
    private boolean returned;

    /** The message, from the match to the end. */
    private @Nullable ArrivedMessage arrival;

    private ReceiveTable.@Nullable Entry entry;
    private NativePool.@Nullable Block block;
    private @Nullable MemorySegment memory;
    private @Nullable ProgressLoop loop;
    private @Nullable NodeMessage received;
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
    }

    boolean accepts(NodePeer source, long messageTag) {
        return ((messageTag ^ tag) & mask) == 0 && (peer == null || peer == source);
    }

    /** Takes the receive for a message or an end; false if its caller has withdrawn it, or another loop was faster. */
    boolean tryMatch() {
        return STATE.compareAndSet(this, WAITING, MATCHED);
    }

    /** Whether nobody has ended it or matched it. */
    boolean isWaiting() {
        return state == WAITING;
    }

    /** Whether it has waited before and had a message that was lost, so that a loop may be handed it twice. */
    boolean wasReturned() {
        return returned;
    }

    private boolean tryWithdraw() {
        return STATE.compareAndSet(this, WAITING, WITHDRAWN);
    }

    // What a caller does with the future.

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (!tryWithdraw()) {
            return false;
        }
        tellEnd(new CancellationException());
        super.cancel(mayInterruptIfRunning);
        node.withdrawn(this);
        return true;
    }

    @Override
    public boolean complete(Message value) {
        if (!tryWithdraw()) {
            return false;
        }
        tellEnd(null);
        super.complete(value);
        node.withdrawn(this);
        return true;
    }

    @Override
    public boolean completeExceptionally(Throwable thrown) {
        if (!tryWithdraw()) {
            return false;
        }
        tellEnd(thrown);
        super.completeExceptionally(thrown);
        node.withdrawn(this);
        return true;
    }

    @Override
    public CompletableFuture<Message> completeAsync(Supplier<? extends Message> supplier, Executor executor) {
        Objects.requireNonNull(supplier, "supplier");
        executor.execute(() -> {
            try {
                if (!isDone()) {
                    complete(supplier.get());
                }
            } catch (Throwable thrown) {
                completeExceptionally(thrown);
            }
        });
        return this;
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
        from.inbox().add(this);
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
        super.completeExceptionally(cause);
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

    /** Remembers the message that it was matched with. */
    void matched(ProgressLoop by, ReceiveTable.@Nullable Entry from, ArrivedMessage with) {
        loop = by;
        entry = from;
        arrival = with;
    }

    boolean isTooShortFor(ArrivedMessage with) {
        return target == null && with.length > maxLength;
    }

    FairleadException tooShort(ArrivedMessage with) {
        return Failures.truncated(with.source.toString(), with.tag, with.length, maxLength);
    }

    /** The message that it was matched with. */
    ArrivedMessage message() {
        return Objects.requireNonNull(arrival, "arrival");
    }

    /** Where the engine puts the message. */
    MemorySegment memoryFor(ArrivedMessage with) {
        if (memory == null) {
            memory = chooseMemory(with);
        }
        return memory;
    }

    /** How much of the message the engine may put there. */
    long room(ArrivedMessage with) {
        return target == null ? with.length : Math.min(target.byteSize(), with.length);
    }

    private MemorySegment chooseMemory(ArrivedMessage with) {
        NativePool pool = node.pool();
        if (target != null && target.isNative()) {
            return target;
        }
        NativePool.Block chosen;
        if (target == null && with.length > HEAP_MAX) {
            chosen = pool.hold(with.length);
        } else {
            chosen = pool.stage(room(with));
        }
        block = chosen;
        return chosen.segment();
    }

    @Override
    public void completed(Request request) {
        ProgressLoop by = Objects.requireNonNull(loop, "loop");
        by.unposted(this);
        try {
            ended(by, message(), request.status(), request.length());
        } catch (Throwable thrown) {
            // No memory for the message, for one: the future must end all the same.
            fail(by, thrown);
        }
    }

    /** The engine is done with the memory. */
    void ended(ProgressLoop by, ArrivedMessage with, Status status, long length) {
        ReceiveTable.Entry from = entry;
        if (status == Status.OK) {
            received = finish(with, length);
            by.deliver(this);
        } else if (status == Status.TRUNCATED) {
            // The staging copy holds the beginning, which the caller was promised.
            finish(with, target == null ? 0 : Math.min(target.byteSize(), length));
            failure = Failures.truncated(
                    with.source.toString(), with.tag, length, target == null ? maxLength : target.byteSize());
            by.deliver(this);
        } else if (with.lost && from != null) {
            // Nobody has seen this message and nobody will: the receive goes on as if it had never been there.
            releaseMemory();
            arrival = null;
            entry = null;
            returned = true;
            STATE.setVolatile(this, WAITING);
            by.inbox().putBack(from);
        } else {
            releaseMemory();
            failure = Failures.of(
                    "receive of tag " + with.tag,
                    status == Status.CANCELLED ? Status.CLOSED : status,
                    with.source.toString(),
                    with.source.failure());
            by.deliver(this);
        }
    }

    private NodeMessage finish(ArrivedMessage with, long length) {
        MemorySegment filled = memory;
        NativePool.Block staged = block;
        memory = null;
        block = null;
        if (target != null) {
            if (staged != null && filled != null) {
                MemorySegment.copy(filled, 0, target, 0, length);
                staged.release();
            }
            return new NodeMessage(with, target.asSlice(0, length), null);
        }
        if (filled == null || staged == null || length == 0) {
            if (staged != null) {
                staged.release();
            }
            return new NodeMessage(with, EMPTY, null);
        }
        if (length > HEAP_MAX) {
            return new NodeMessage(with, filled.asSlice(0, length), staged);
        }
        // An array of longs, because the segment of an array of bytes allows no aligned access.
        MemorySegment words = MemorySegment.ofArray(new long[(int) ((length + Long.BYTES - 1) / Long.BYTES)]);
        MemorySegment heap = length == words.byteSize() ? words : words.asSlice(0, length);
        MemorySegment.copy(filled, 0, heap, 0, length);
        staged.release();
        return new NodeMessage(with, heap, null);
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
        node.receiveEnded();
        Throwable cause = failure;
        if (cause != null) {
            releaseMemory();
            tellEnd(cause);
            super.completeExceptionally(cause);
        } else if (received != null) {
            handOver(received);
        }
    }

    /** The observer may do something around what the future's callbacks do, but not instead. */
    private void handOver(NodeMessage message) {
        NodeObserver.Running told = message.context().isEmpty() ? null : observer();
        tellEnd(null);
        if (told != null) {
            tellDelivery(told, message, () -> super.complete(message));
        }
        super.complete(message);
    }
}
