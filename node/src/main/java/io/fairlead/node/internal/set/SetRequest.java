package io.fairlead.node.internal.set;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.node.Message;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestOptions;
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
    private final RequestOptions how;
    private final long length;
    private final long dueNs;
    private MemorySegment message = MemorySegment.NULL;
    /** The message, if others may send it too. */
    private volatile MemorySegment kept = MemorySegment.NULL;
    /** Where the copy of the message counts; null if there is none. */
    private @Nullable ByteLimit limit;
    /** The attempt that was called last. */
    private volatile @Nullable CompletableFuture<Message> running;
    /** The connection of the last attempt ended before its answer. */
    private boolean lost;

    SetRequest(NodePeerSet set, MemorySegment message, long tag, long timeNs, RequestOptions how) {
        super(set);
        this.tag = tag;
        this.how = how;
        this.length = message.byteSize();
        this.dueNs = System.nanoTime() + timeNs;
        Memory.requireAlive(message);
    }

    /** Copies the message if it has to be copied. Returns false if the limit of bytes stays reached. */
    boolean tryHold(MemorySegment caller, ByteLimit from, long waitNs) {
        // The caller has its memory back with the first reply, and a hedge may begin to read it then.
        if (!(isRepeated() && set.retries().hedgeAfter().isPresent())
                && RequestMemory.isLongNative(caller)
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

    /** Keeps the message for further attempts, until what is returned has run. */
    Runnable disown() {
        kept = message;
        ByteLimit from = limit;
        limit = null;
        return () -> {
            kept = MemorySegment.NULL;
            if (from != null) {
                from.giveBack(length);
            }
        };
    }

    /** Another attempt with the message that was kept. */
    SetRequest again(long timeNs) {
        MemorySegment again = kept;
        SetRequest other = new SetRequest(set, again, tag, timeNs, how);
        other.message = again;
        return other;
    }

    boolean isIdempotent() {
        return how.idempotent();
    }

    /** Whether it is repeated although a handler may have seen it. */
    private boolean isRepeated() {
        return isIdempotent() && set.retries().attempts() > 1;
    }

    /** Whether its last attempt has failed because the connection ended, after it was sent. Valid when it has ended. */
    boolean isLost() {
        return lost;
    }

    @Override
    void attempted(SetMember member, @Nullable Throwable failure) {
        if (failure == null) {
            set.answered(member);
        } else if (failure instanceof RequestException known && !known.isSafeToRetry()) {
            switch (known.status()) {
                case UNAVAILABLE, DEADLINE_EXCEEDED, FAILED -> set.failedRequest(member);
                default -> set.answered(member);
            }
        }
    }

    @Override
    CompletableFuture<Message> attempt(NodePeer peer, long patienceNs) {
        return peer.requests().request(message, tag, timeLeftNs(), patienceNs, false, how.headers(), null);
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
        lost = attempt instanceof NodeRequest request && request.isLost();
        if (!(failure instanceof RequestException known) || !known.isSafeToRetry()) {
            return Failed.FOR_GOOD;
        }
        return switch (known.status()) {
            case UNAVAILABLE -> Failed.ELSEWHERE;
            case RESOURCE_EXHAUSTED ->
                attempt instanceof NodeRequest sent && sent.isSent() ? Failed.REFUSED : Failed.NO_ROOM;
            // Of another version, or not yet ready: what no handler has seen, another member may take.
            case UNIMPLEMENTED, UNSUPPORTED, PERMISSION_DENIED -> Failed.REFUSED;
            default -> Failed.FOR_GOOD;
        };
    }

    @Override
    Throwable explain(SetMember member, Throwable failure) {
        if (!(failure instanceof RequestException known)) {
            return failure;
        }
        return known.withMessage(subject(known.status()) + ", member=" + member.member() + "; " + known.text()
                + (lost ? "; it may have been carried out" + notRepeated() : ""));
    }

    private String notRepeated() {
        return isRepeated() ? "" : ", so that it was not sent to another member";
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
        SetFailures.Shortage shortage = set.shortage(false);
        String text = "the deadline has passed before a member took it; "
                + (set.peers().isEmpty() ? shortage.remedy() : "give it more time, or add members");
        fail(RequestException.beforeHandler(status, text)
                .withMessage(subject(status) + ", " + shortage.numbers() + "; " + text));
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

    /** Withdraws what is left, if its caller has ended it. */
    @Override
    protected void hasEnded() {
        CompletableFuture<Message> attempt = running;
        if (attempt != null) {
            attempt.cancel(false);
        }
        if (hasSlot()) {
            set.home().execute(new LoopTask.Action(_ -> set.waiting().remove(this)));
        }
    }
}
