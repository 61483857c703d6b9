package io.fairlead.node.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.node.BackPressure;
import io.fairlead.node.Message;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.observation.MessageContext;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request as its caller sees it, and what the loop knows of it. Its caller can withdraw it at any moment: whoever changes the state from {@code WAITING}
 * decides.
 */
final class NodeRequest extends WithdrawableOperation<Message> implements Completion, RequestPost {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRequest.class);
    private static final int WAITING = 0;
    private static final int ENDED = 1;
    private static final int WITHDRAWN = 2;
    private static final int NOT_SENT = -1;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(NodeRequest.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    final NodePeer peer;
    final long tag;
    final long dueNs;

    @SuppressWarnings("unused") // By STATE.
    private volatile int state;

    private RequestMemory memory = RequestMemory.NONE;
    /** Run when the caller's memory is free; null where it is copied in any case. */
    private final @Nullable Runnable reusable;

    // Of the loop's thread.
    private int id = NOT_SENT;
    /** It has its permit, and came to the loop. */
    private boolean accepted;

    private @Nullable NodeMessage reply;
    private @Nullable RequestException failure;

    NodeRequest(NodePeer peer, long tag, long dueNs, @Nullable Runnable reusable) {
        this.peer = peer;
        this.tag = tag;
        this.dueNs = dueNs;
        this.reusable = reusable;
    }

    /** Whether long native memory is sent in place. */
    boolean mayBorrow() {
        return reusable != null;
    }

    /** What it sends. */
    void memory(RequestMemory message) {
        memory = message;
        if (!message.isInPlace()) {
            tellReusable();
        }
    }

    /** The engine does not read the memory, or not any more; on the loop's thread. */
    void releaseMemory() {
        if (memory.release() && memory.isInPlace()) {
            peer.loop().deliver((Delivery) this::tellReusable);
        }
    }

    private void tellReusable() {
        Runnable telling = reusable;
        if (telling == null) {
            return;
        }
        try {
            telling.run();
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "what frees the memory of a request threw; peer={}", peer);
        }
    }

    /** What the observer has it carry; of a request that is observed. */
    byte[] encodedContext() {
        MessageContext context = observedContext();
        return context.isEmpty() ? RequestMemory.NO_CONTEXT : context.encode();
    }

    private PeerRequests requests() {
        return peer.link().requests();
    }

    /** Whether its caller still waits for it. */
    boolean isWaiting() {
        return state == WAITING;
    }

    /** What its answer names; only of a request that is sent. */
    int id() {
        return id;
    }

    boolean isSent() {
        return id != NOT_SENT;
    }

    boolean isAccepted() {
        return accepted;
    }

    // What a caller does with the future.

    @Override
    boolean tryWithdraw() {
        return STATE.compareAndSet(this, WAITING, WITHDRAWN);
    }

    @Override
    void withdrawn() {
        peer.loop().execute(new Action(_ -> requests().withdraw(this)));
    }

    // What the loop does with it.

    @Override
    public void accept(ProgressLoop loop) {
        accepted = true;
        requests().accept(this);
    }

    @Override
    public void refuse(FairleadException cause) {
        refuse(RequestStatus.UNAVAILABLE, "node is closed; start another");
    }

    /** It does not come to the loop; on any thread. */
    void refuse(RequestStatus status, String text) {
        if (memory == RequestMemory.NONE || (memory.release() && memory.isInPlace())) {
            tellReusable();
        }
        failure = requests().unsent(this, status, text);
        deliver();
    }

    @Override
    void fail(ProgressLoop loop, Throwable cause) {
        fail(new RequestException(RequestStatus.FAILED, "sending failed: " + cause, cause));
    }

    @Override
    public boolean mayWait() {
        return peer.settings().backPressure() == BackPressure.WAIT;
    }

    /** Its deadline has passed before it was sent. */
    void expireUnsent() {
        requests().expireUnsent(this);
    }

    @Override
    public void notPosted(Status status) {
        requests().notPosted(this, status);
    }

    @Override
    public long post(Endpoint endpoint) {
        long leftNs = requests().timeLeftToPost(this);
        if (leftNs <= 0) {
            return leftNs;
        }
        id = requests().table().add(this);
        long posted;
        try {
            posted = memory.send(endpoint, RequestFrame.tag(RequestFrame.REQUEST, id), tag, leftNs, this);
        } catch (Throwable thrown) {
            // The caller has closed the memory, most likely.
            requests().table().remove(id);
            id = NOT_SENT;
            requests().notPosted(this, thrown);
            return 0;
        }
        if (posted < 0) {
            requests().table().remove(id);
            id = NOT_SENT;
            return posted;
        }
        requests().posted(this);
        return posted;
    }

    /** The engine is done with the memory. */
    @Override
    public void completed(Request request) {
        releaseMemory();
    }

    boolean hasOutcome() {
        return reply != null || failure != null;
    }

    /** The reply is here. */
    void succeed(NodeMessage message) {
        if (hasOutcome() || !isWaiting()) {
            message.close();
            return;
        }
        reply = message;
        finish();
    }

    /** It has failed; nothing changes if it has ended before. */
    void fail(RequestException cause) {
        if (!hasOutcome()) {
            failure = cause;
            finish();
        }
    }

    private void finish() {
        if (!isSent()) {
            releaseMemory();
        }
        peer.loop().deliver(this);
    }

    @Override
    public void deliver() {
        NodeMessage message = reply;
        if (!STATE.compareAndSet(this, WAITING, ENDED)) {
            if (message != null) {
                message.close();
            }
            return;
        }
        RequestException cause = failure;
        tellEnd(cause);
        if (cause == null) {
            end(message);
        } else {
            endExceptionally(cause);
        }
    }
}
