package io.fairlead.node.internal.request;

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

/** A request of a peer whose one answer is on its way out. The answer is handed over by any thread; it belongs to the loop's thread then. */
abstract class AnsweredRequest extends ArrivingRequest implements LoopTask, RequestPost {
    /** The content of a refusal, which gets native memory when it is posted. */
    private record Refusal(RequestStatus status, boolean seen, String text) {}

    /** What the answer is sent from; null of a refusal that is not posted, and when the answer has left. */
    private @Nullable RequestMemory answer;

    private @Nullable Refusal refusal;
    /** Run when the memory of the reply may be reused; null where it was copied. */
    private @Nullable Runnable reusable;

    AnsweredRequest(PeerRequests requests, int id) {
        super(requests, id);
    }

    /** Sends a reply from memory whose owner is {@code whenReusable} notified; null where it was copied. */
    final void sendReply(RequestMemory memory, @Nullable Runnable whenReusable) {
        answer = memory;
        reusable = whenReusable;
        submit();
    }

    /** Sends a refusal, which needs no native memory until it is posted, and some that is set aside then. */
    final void sendRefusal(RequestStatus status, boolean seen, String text) {
        refusal = new Refusal(status, seen, text);
        submit();
    }

    /** Passes it to the loop. Never waits, because there is at most one answer for each request. */
    private void submit() {
        ProgressLoop loop = loop();
        if (loop.isCurrent()) {
            accept(loop);
        } else if (!loop.enqueue(this, 0)) {
            loop.execute(this);
        }
    }

    /** The answer has left, or will not. */
    abstract void answerLeft();

    /** A long payload has arrived, or will not. */
    abstract void payloadEnded(Status status);

    @Override
    public final void accept(ProgressLoop loop) {
        requests.send(this);
    }

    /** The connection ends, because the peer would wait for the answer. */
    @Override
    public final void fail(ProgressLoop loop, Throwable thrown) {
        requests.failThrown(thrown);
    }

    @Override
    public final void refuse(FairleadException cause) {
        // The loop has ended; this may be any thread.
        Runnable waiting = release();
        if (waiting != null) {
            waiting.run();
        }
    }

    @Override
    public final long post(Endpoint endpoint) {
        if (!requests.served().holds(this)) {
            // It is of a connection that has ended.
            finish();
            return 0;
        }
        Refusal said = refusal;
        RequestMemory memory = said == null ? answer : write(said);
        if (memory == null) {
            return Endpoint.BACK_PRESSURE;
        }
        long posted;
        try {
            posted = said == null
                    ? memory.sendReply(endpoint, id, this)
                    : memory.send(endpoint, RequestFrame.REFUSAL, id, this);
        } catch (Throwable thrown) {
            answer = memory;
            finish();
            if (said != null) {
                throw thrown;
            }
            // The handler has closed the memory, most likely. The caller gets a refusal.
            refusal = new Refusal(RequestStatus.FAILED, true, "the reply could not be sent: " + thrown);
            requests.send(this);
            return 0;
        }
        if (posted < 0 && said != null) {
            memory.release();
        } else if (posted >= 0) {
            answer = memory;
            requests.served().remove(this);
            requests.counters().add(RequestCounter.SERVED_NOW, -1);
            if (said == null) {
                requests.counters().add(RequestCounter.REPLIED);
            }
        }
        return posted;
    }

    /** Writes a refusal; null if there is no memory for it now. */
    private @Nullable RequestMemory write(Refusal said) {
        NativePool.Block block = requests.shortBlock();
        if (block == null) {
            return null;
        }
        MemorySegment payload = block.segment().asSlice(RequestFrame.HEADER_LENGTH);
        int length = RequestFrame.writeRefusal(payload, said.status(), said.seen(), said.text());
        return RequestMemory.of(block, length);
    }

    @Override
    public final boolean mayWait() {
        return true;
    }

    @Override
    public final void notPosted(Status status) {
        finish();
    }

    /** The answer was sent, or a long payload of the request has ended, which is always before. */
    @Override
    public final void completed(Request ended) {
        if (answer == null) {
            payloadEnded(ended.status());
        } else {
            finish();
        }
    }

    private void finish() {
        Runnable waiting = release();
        if (waiting != null) {
            loop().deliver(waiting::run);
        }
    }

    /** Releases what the answer was sent from. Returns what is to be run then. */
    private @Nullable Runnable release() {
        RequestMemory memory = answer;
        if (memory != null) {
            answer = null;
            memory.release();
        }
        answerLeft();
        Runnable waiting = reusable;
        reusable = null;
        return waiting;
    }
}
