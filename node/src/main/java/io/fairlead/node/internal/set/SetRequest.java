package io.fairlead.node.internal.set;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.node.Message;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.memory.ByteLimit;
import io.fairlead.node.internal.memory.Memory;
import io.fairlead.node.internal.peer.NodePeer;
import io.fairlead.node.internal.request.NodeRequest;
import io.fairlead.node.internal.request.RequestMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A request to some member of a set. Its caller can end it at any moment. That ends the running attempt, or frees the slot of a waiting
 * request.
 *
 * <p>It holds a copy on the heap, or the caller's own long native memory. Pooled memory would not do, because the engine may still read what a
 * cancelled attempt has sent.
 */
final class SetRequest extends SetCall<Message> {
    /** Virtual machines make no longer arrays. */
    private static final long ARRAY_MAX = Integer.MAX_VALUE - 8L;

    private final long tag;
    private final long length;
    private final long dueNs;
    private MemorySegment message = MemorySegment.NULL;
    /** Where the copy of the message counts; null if there is none. */
    private @Nullable ByteLimit limit;
    /** The attempt that was called last. */
    private volatile @Nullable CompletableFuture<Message> running;

    SetRequest(NodePeerSet set, MemorySegment message, long tag, long timeNs) {
        super(set);
        this.tag = tag;
        this.length = message.byteSize();
        this.dueNs = System.nanoTime() + timeNs;
        Memory.requireAlive(message);
    }

    /** Copies the message if it has to be copied. Returns false if the limit of bytes stays reached. */
    boolean tryHold(MemorySegment caller, ByteLimit from, long waitNs) {
        if (RequestMemory.isLongNative(caller)
                && set.group().loops().stream().allMatch(loop -> caller.isAccessibleBy(loop.thread()))) {
            message = caller;
            return true;
        }
        if (!from.tryTake(length, Math.min(waitNs, timeLeftNs()))) {
            return false;
        }
        try {
            message = length <= ARRAY_MAX
                    ? MemorySegment.ofArray(caller.toArray(ValueLayout.JAVA_BYTE))
                    : Arena.ofAuto().allocate(length).copyFrom(caller);
        } catch (Throwable thrown) {
            from.giveBack(length);
            throw thrown;
        }
        limit = from;
        return true;
    }

    @Override
    CompletableFuture<Message> attempt(NodePeer peer, long patienceNs) {
        return peer.requests().request(message, tag, timeLeftNs(), patienceNs, null);
    }

    @Override
    void attempting(CompletableFuture<Message> attempt) {
        running = attempt;
        if (isDone()) {
            // The caller may have cancelled the attempt before this one, or none.
            attempt.cancel(false);
        }
    }

    @Override
    Failed assess(CompletableFuture<Message> attempt, Throwable failure) {
        if (!(failure instanceof RequestException known) || !known.isSafeToRetry()) {
            return Failed.FOR_GOOD;
        }
        return switch (known.status()) {
            case UNAVAILABLE -> Failed.ELSEWHERE;
            case RESOURCE_EXHAUSTED ->
                attempt instanceof NodeRequest request && request.isSent() ? Failed.REFUSED : Failed.NO_ROOM;
            default -> Failed.FOR_GOOD;
        };
    }

    @Override
    Throwable explain(SetMember member, Throwable failure) {
        if (!(failure instanceof RequestException known)) {
            return failure;
        }
        boolean lost = known.status() == RequestStatus.UNAVAILABLE && !known.isSafeToRetry();
        return known.withMessage(subject(known.status()) + ", member=" + member.member() + "; " + known.text()
                + (lost ? "; it may have been carried out, so that it was not sent to another member" : ""));
    }

    @Override
    Throwable failure(SetFailures.Shortage shortage) {
        RequestStatus status = status(shortage.status());
        return RequestException.beforeHandler(status, shortage.remedy())
                .withMessage(subject(status) + ", " + shortage.numbers() + "; " + shortage.remedy());
    }

    /** The failure of a request that the set or the node ends: no member has it then. */
    @Override
    Throwable failure(Throwable cause) {
        if (cause instanceof RequestException) {
            return cause;
        }
        if (cause instanceof FairleadException known) {
            RequestStatus status = status(known.status().orElse(Status.CLOSED));
            String text = String.valueOf(known.getMessage());
            return RequestException.beforeHandler(status, text).withMessage(subject(status) + "; " + text);
        }
        String text = "it could not be sent: " + cause;
        return new RequestException(RequestStatus.FAILED, text, cause)
                .withMessage(subject(RequestStatus.FAILED) + "; " + text);
    }

    private static RequestStatus status(Status status) {
        return status == Status.BACK_PRESSURE ? RequestStatus.RESOURCE_EXHAUSTED : RequestStatus.UNAVAILABLE;
    }

    private String subject(RequestStatus status) {
        return describe() + " failed: status=" + status + ", service=" + set.name();
    }

    @Override
    String describe() {
        return "request of " + length + " bytes with tag " + tag;
    }

    @Override
    long timeLeftNs() {
        return dueNs - System.nanoTime();
    }

    @Override
    void giveUp() {
        if (timeLeftNs() > 0) {
            super.giveUp();
            return;
        }
        RequestStatus status = RequestStatus.DEADLINE_EXCEEDED;
        String text = "the deadline has passed before a member took it; name the time from now";
        fail(RequestException.beforeHandler(status, text)
                .withMessage(subject(status) + ", " + set.shortage(false).numbers() + "; " + text));
    }

    @Override
    void discard(@Nullable Message result) {
        if (result != null) {
            result.close();
        }
    }

    @Override
    void release() {
        message = MemorySegment.NULL;
        ByteLimit from = limit;
        if (from != null) {
            limit = null;
            from.giveBack(length);
        }
    }

    // What a caller does with the future, and the engine too: then there is nothing left to withdraw.

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return completeExceptionally(new CancellationException()) || isCancelled();
    }

    @Override
    public boolean complete(@Nullable Message value) {
        return super.complete(value) && withdrawn();
    }

    @Override
    public boolean completeExceptionally(Throwable thrown) {
        return super.completeExceptionally(thrown) && withdrawn();
    }

    private boolean withdrawn() {
        CompletableFuture<Message> attempt = running;
        if (attempt != null) {
            attempt.cancel(false);
        }
        if (hasSlot()) {
            set.home().execute(new LoopTask.Action(_ -> set.waiting().remove(this)));
        }
        return true;
    }
}
