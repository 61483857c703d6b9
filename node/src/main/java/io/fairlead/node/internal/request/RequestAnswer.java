package io.fairlead.node.internal.request;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.internal.frame.RequestFrame;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.memory.NativePool;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The answer to a request of a peer, on its way out. Handed over by any thread; belongs to the loop's thread then. */
final class RequestAnswer implements LoopTask, RequestPost, Completion {
    /** The content of a refusal, which gets native memory when it is posted. */
    private record Refusal(RequestStatus status, boolean seen, String text) {}

    private final ServedRequest request;
    private final int kind;
    private RequestMemory memory;
    private final @Nullable Refusal refusal;
    /** Run when the memory may be reused; null where it was copied. */
    private final @Nullable Runnable reusable;

    private RequestAnswer(
            ServedRequest request, RequestMemory memory, @Nullable Runnable reusable, @Nullable Refusal refusal) {
        this.request = request;
        this.kind = refusal == null ? RequestFrame.REPLY : RequestFrame.REFUSAL;
        this.memory = memory;
        this.reusable = reusable;
        this.refusal = refusal;
    }

    /** A reply. */
    static RequestAnswer reply(ServedRequest request, RequestMemory memory, @Nullable Runnable reusable) {
        return new RequestAnswer(request, memory, reusable, null);
    }

    /** A refusal, which needs no native memory until it is posted, and some that is set aside then. */
    static RequestAnswer refusal(ServedRequest request, RequestStatus status, boolean seen, String text) {
        return new RequestAnswer(request, RequestMemory.NONE, null, new Refusal(status, seen, text));
    }

    /** Passes it to the loop. Never waits, because there is at most one for each request. */
    void submit() {
        ProgressLoop loop = request.loop();
        if (loop.isCurrent()) {
            accept(loop);
        } else if (!loop.enqueue(this, 0)) {
            loop.execute(this);
        }
    }

    @Override
    public void accept(ProgressLoop loop) {
        request.requests().send(this);
    }

    /** The connection ends, because the peer would wait for the answer. */
    @Override
    public void fail(ProgressLoop loop, Throwable thrown) {
        request.requests().failThrown(thrown);
    }

    @Override
    public void refuse(FairleadException cause) {
        // The loop has ended; this may be any thread.
        memory.release();
        request.answerLeft();
        if (reusable != null) {
            reusable.run();
        }
    }

    @Override
    public long post(Endpoint endpoint) {
        PeerRequests requests = request.requests();
        if (!requests.served().holds(request)) {
            // It is of a connection that has ended.
            finish();
            return 0;
        }
        long posted;
        try {
            if (refusal != null && !tryWrite(refusal)) {
                return Endpoint.BACK_PRESSURE;
            }
            posted = memory.send(endpoint, kind, request.id(), this);
        } catch (Throwable thrown) {
            finish();
            if (refusal != null) {
                throw thrown;
            }
            // The handler has closed the memory, most likely. The caller gets a refusal.
            requests.send(refusal(request, RequestStatus.FAILED, true, "the reply could not be sent: " + thrown));
            return 0;
        }
        if (posted < 0 && refusal != null) {
            memory.release();
        } else if (posted >= 0) {
            requests.served().remove(request);
            requests.counters().subtract(RequestCounter.SERVED_NOW);
            if (kind == RequestFrame.REPLY) {
                requests.counters().add(RequestCounter.REPLIED);
            }
        }
        return posted;
    }

    /** False if there is no memory for the refusal now. */
    private boolean tryWrite(Refusal said) {
        NativePool.Block block = request.requests().shortBlock();
        if (block == null) {
            return false;
        }
        MemorySegment payload = block.segment().asSlice(RequestFrame.HEADER_LENGTH);
        int length = RequestFrame.writeRefusal(payload, said.status(), said.seen(), said.text());
        memory = RequestMemory.of(block, length);
        return true;
    }

    @Override
    public boolean mayWait() {
        return true;
    }

    @Override
    public void notPosted(Status status) {
        finish();
    }

    @Override
    public void completed(Request sent) {
        finish();
    }

    private void finish() {
        memory.release();
        request.answerLeft();
        Runnable waiting = reusable;
        if (waiting != null) {
            request.loop().deliver(waiting::run);
        }
    }
}
