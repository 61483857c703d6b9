package io.fairlead.node.internal.request;

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
import io.fairlead.node.internal.loop.Delivery;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.loop.WithdrawableOperation;
import io.fairlead.node.internal.receive.NodeMessage;
import io.fairlead.observation.MessageContext;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request as its caller sees it, and its state on the loop. Its caller can withdraw it at any moment. The first change of the state from
 * {@code WAITING} decides how it ends.
 */
public final class NodeRequest extends WithdrawableOperation<Message> implements Completion, RequestPost {
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

    final long tag;
    final long dueNs;
    private final long startNs;

    @SuppressWarnings("unused") // By STATE.
    private volatile int state;

    private final PeerRequests requests;
    /** What it sends; null before there is a copy, and when the engine does not need it any more. */
    private @Nullable RequestMemory memory;

    /** Run when the caller's memory is free; null where it is copied in any case. */
    private final @Nullable Runnable reusable;

    private final boolean waits;

    // Used by the loop's thread.
    private int id = NOT_SENT;

    private @Nullable NodeMessage reply;
    private @Nullable RequestException failure;
    private boolean lost;

    NodeRequest(PeerRequests requests, long tag, long startNs, long dueNs, boolean waits, @Nullable Runnable reusable) {
        this.requests = requests;
        this.tag = tag;
        this.startNs = startNs;
        this.dueNs = dueNs;
        this.reusable = reusable;
        this.waits = waits;
    }

    /** Whether it waits while the connection is being made again. */
    boolean waitsForConnection() {
        return waits;
    }

    /** Whether long native memory is sent in place. */
    boolean mayBorrow() {
        return reusable != null;
    }

    /** What it sends. */
    void memory(RequestMemory message) {
        memory = message;
        if (!message.isInPlace()) {
            runReusable();
        }
    }

    /** The engine does not read the memory, or not any more; on the loop's thread. */
    void releaseMemory() {
        if (memory != null && tryRelease(memory)) {
            requests.loop().deliver((Delivery) this::runReusable);
        }
    }

    /** Releases the memory; false if the caller's memory was copied. */
    private boolean tryRelease(RequestMemory used) {
        boolean wasInPlace = used.isInPlace();
        memory = null;
        used.release();
        return wasInPlace;
    }

    private void runReusable() {
        Runnable ending = reusable;
        if (ending == null) {
            return;
        }
        try {
            ending.run();
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "what frees the memory of a request threw; peer={}", requests.peer());
        }
    }

    /** What it carries: its caller's headers, and what the observer adds. */
    byte[] encodedContext(MessageContext headers) {
        MessageContext observed = observedContext();
        if (headers.isEmpty()) {
            return observed.isEmpty() ? RequestMemory.NO_CONTEXT : observed.encode();
        }
        if (observed.isEmpty()) {
            return headers.encode();
        }
        Map<String, String> all = new LinkedHashMap<>(headers.entries());
        all.putAll(observed.entries());
        return MessageContext.of(all).encode();
    }

    /** Whether its caller still waits for it. */
    boolean isWaiting() {
        return state == WAITING;
    }

    /** What its answer names; only of a request that is sent. */
    int id() {
        return id;
    }

    public boolean isSent() {
        return id != NOT_SENT;
    }

    // What a caller does with the future.

    @Override
    protected boolean tryWithdraw() {
        boolean withdrawn = STATE.compareAndSet(this, WAITING, WITHDRAWN);
        if (withdrawn) {
            count(RequestStatus.CANCELLED);
        }
        return withdrawn;
    }

    @Override
    protected void withdrawn() {
        requests.loop().execute(new LoopTask.Action(_ -> requests.withdraw(this)));
    }

    /** As it is counted, whatever its caller has given the future. */
    @Override
    protected RequestException observedWithdrawal(@Nullable Throwable thrown) {
        String text = "its caller has ended it" + (thrown == null ? "" : ": " + thrown);
        return thrown == null
                ? new RequestException(RequestStatus.CANCELLED, text)
                : new RequestException(RequestStatus.CANCELLED, text, thrown);
    }

    // What the loop does with it.

    @Override
    public void accept(ProgressLoop loop) {
        requests.accept(this);
    }

    @Override
    public void refuse(FairleadException cause) {
        refuse(RequestStatus.UNAVAILABLE, "node is closed; start another");
    }

    /** The loop does not get it. On any thread. */
    void refuse(RequestStatus status, String text) {
        if (memory == null || tryRelease(memory)) {
            runReusable();
        }
        failure = requests.unsent(this, status, text);
        deliver();
    }

    @Override
    public void fail(ProgressLoop loop, Throwable cause) {
        fail(new RequestException(RequestStatus.FAILED, "sending failed: " + cause, cause));
    }

    @Override
    public boolean mayWait() {
        return requests.loop().group().settings().backPressure() == BackPressure.WAIT;
    }

    /** Its deadline has passed before it was sent. */
    void expireUnsent() {
        requests.expireUnsent(this);
    }

    @Override
    public void notPosted(Status status) {
        requests.notPosted(this, status);
    }

    @Override
    public long post(Endpoint endpoint) {
        long leftNs = requests.timeLeftToPost(this);
        if (leftNs <= 0) {
            return leftNs;
        }
        id = requests.table().add(this);
        long posted;
        try {
            posted = Objects.requireNonNull(memory, "memory").sendRequest(endpoint, id, tag, leftNs, this);
        } catch (Throwable thrown) {
            // The caller has closed the memory, most likely.
            requests.table().remove(id);
            id = NOT_SENT;
            requests.notPosted(this, thrown);
            return 0;
        }
        if (posted < 0) {
            requests.table().remove(id);
            id = NOT_SENT;
            return posted;
        }
        requests.posted(this);
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

    /** Its connection has ended before its answer. */
    void lose(RequestException cause) {
        if (!hasOutcome()) {
            lost = true;
            fail(cause);
        }
    }

    /** Whether it has failed because its connection ended. Valid when it has ended. */
    public boolean isLost() {
        return lost;
    }

    private void finish() {
        if (!isSent()) {
            releaseMemory();
        }
        requests.loop().deliver(this);
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
        count(cause == null ? RequestStatus.OK : cause.status());
        notifyEnd(cause);
        if (cause == null) {
            end(message);
        } else {
            endExceptionally(cause);
        }
    }

    private void count(RequestStatus status) {
        requests.node().called(tag).ended(status, System.nanoTime() - startNs);
    }
}
