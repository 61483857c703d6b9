package io.fairlead.node.internal.request;

import io.fairlead.Authorizer.Verdict;
import io.fairlead.FairleadException;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceRequest;
import io.fairlead.node.internal.loop.Delivery;
import io.fairlead.node.internal.memory.ByteLimit;
import io.fairlead.node.internal.memory.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request of a peer that goes to its service and is answered once. The first change of its state decides how it ends: by a handler,
 * or by the loop for a cancel, the deadline or the end of the connection.
 */
final class ServedRequest extends ArrivingRequest implements ServiceRequest, Delivery.OnLoop, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceRequest.class);

    private static final String CANCELLED = "cancelled by its caller";

    /** No handler has it. */
    private static final int OPEN = 0;
    /** A handler has it. */
    private static final int SEEN = 1;

    private static final int ANSWERED = 2;
    /** It has ended without an answer of the handler that has it. */
    private static final int ENDED = 3;
    /** It has ended, and no handler has seen it. */
    private static final int REFUSED = 4;
    /** It has ended without an answer of its handler, which has answered since, or has closed it. */
    private static final int LATE = 5;

    private static final VarHandle STATE;
    private static final VarHandle BEGUN;
    private static final VarHandle HOLDERS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(ServedRequest.class, "state", int.class);
            BEGUN = lookup.findVarHandle(ServedRequest.class, "begun", boolean.class);
            HOLDERS = lookup.findVarHandle(ServedRequest.class, "holders", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private @Nullable NodeService service;
    /** What its peer has of the service, with this request. */
    private NodeService.@Nullable Share share;
    /** Set under the lock. */
    private @Nullable Runnable cancelAction;

    @SuppressWarnings("unused") // By STATE.
    private volatile int state;

    /** Its executor has begun with it, or has rejected it. By BEGUN. */
    @SuppressWarnings("unused")
    private volatile boolean begun;

    /** What keeps its slot in the service: the handler's call, and the request until it has ended. By HOLDERS. */
    @SuppressWarnings("unused")
    private volatile int holders = 2;

    /** Its caller has cancelled it before it had arrived. */
    private boolean cancelled;

    /**
     * A request whose header is here.
     *
     * @param frameLength bytes of header, payload and context
     */
    ServedRequest(PeerRequests requests, int id, long frameLength) {
        super(requests, id, frameLength);
    }

    NodeService.Share share() {
        return Objects.requireNonNull(share, "share");
    }

    // Arriving, on the loop's thread.

    /** A long payload has arrived, or will not. */
    @Override
    public void completed(Request ended) {
        if (state == OPEN && ended.status() == Status.OK) {
            received();
        } else {
            lost();
        }
    }

    /** The connection has ended, and the table with it, or is about to. */
    @Override
    public void lost() {
        requests().served().remove(this);
        STATE.compareAndSet(this, OPEN, REFUSED);
        releaseMemory();
    }

    @Override
    void received() {
        if (!tryReadContext()) {
            return;
        }
        countArrival();
        if (cancelled) {
            refuse(RequestStatus.CANCELLED, CANCELLED);
            return;
        }
        Verdict verdict = requests().mayRequest(tag());
        if (!verdict.isAllowed()) {
            refuse(RequestStatus.PERMISSION_DENIED, "the peer may not be asked for this: " + verdict.reason());
            return;
        }
        NodeService found = requests().node().services().find(tag());
        if (found == null) {
            refuse(RequestStatus.NOT_FOUND, "the peer has no service with this tag; ask it for the right one");
        } else if (length() > requests().messageMax()) {
            refuse(RequestStatus.RESOURCE_EXHAUSTED, tooLong(length()));
        } else {
            service = found;
            share = requests().served().shareOf(found);
            requests().deadlines().watch(dueNs());
            found.offer(this);
        }
    }

    /** Ends it before a handler has seen it. */
    @Override
    void refuse(RequestStatus status, String text) {
        if (STATE.compareAndSet(this, OPEN, REFUSED)) {
            requests().counters().addFromAnywhere(RequestCounter.REFUSED);
            RequestAnswer.refusal(this, status, false, text).submit();
            releaseMemory();
        }
    }

    // Running.

    /** Passes it to the executor of its service, where it has a slot. On the loop's thread, outside of progress. */
    @Override
    public void deliver() {
        NodeService running = Objects.requireNonNull(service, "service");
        if (begun) {
            // It has ended before it could run.
            return;
        }
        try {
            running.executor().execute(this);
        } catch (Throwable thrown) {
            // An executor may have run it and throw all the same.
            if (BEGUN.compareAndSet(this, false, true)) {
                if (!(thrown instanceof RejectedExecutionException)) {
                    Callbacks.logThrown(LOG, thrown, "the executor of a service threw; tag={}", tag());
                }
                refuse(RequestStatus.RESOURCE_EXHAUSTED, "the executor of the service takes no more; call later");
                running.released(this);
            }
        }
    }

    @Override
    public void run() {
        if (!BEGUN.compareAndSet(this, false, true)) {
            return;
        }
        NodeService running = Objects.requireNonNull(service, "service");
        if (!STATE.compareAndSet(this, OPEN, SEEN)) {
            releaseMemory();
            running.released(this);
            return;
        }
        try {
            running.handle(this);
        } finally {
            leave();
        }
    }

    /** One of the two holders of its slot releases it. */
    private void leave() {
        NodeService running = service;
        if ((int) HOLDERS.getAndAdd(this, -1) == 1 && running != null) {
            running.released(this);
        }
    }

    // Answers, of any thread.

    @Override
    public void reply(MemorySegment message, Runnable reusable) {
        Objects.requireNonNull(reusable, "reusable");
        Memory.requireAlive(message);
        requireOpen();
        ByteLimit limit = requests().byteLimit();
        long bytes = RequestMemory.copiedBytes(message, true, 0, RequestMemory.NO_CONTEXT, loop());
        if (bytes > 0 && !limit.tryTake(bytes, patienceNs(), () -> state != SEEN)) {
            refuseReply(
                    "the caller takes its replies too slowly, so that this one is lost: length=" + message.byteSize()
                            + ", waiting=" + limit.held() + ", limit=" + limit.max()
                            + " bytes of the service's node.queue-bytes; take replies faster, or ask for less at once",
                    reusable);
            return;
        }
        RequestMemory memory;
        try {
            memory = RequestMemory.reply(message, loop(), limit);
        } catch (FairleadException noMemory) {
            limit.giveBack(bytes);
            refuseReply("the reply is lost: " + noMemory.getMessage(), reusable);
            return;
        } catch (Throwable closed) {
            limit.giveBack(bytes);
            throw closed;
        }
        int before = answer();
        if (before != SEEN) {
            memory.release();
            if (before != ENDED) {
                throw answeredAlready();
            }
            reusable.run();
            return;
        }
        RequestAnswer.reply(this, memory, memory.isInPlace() ? reusable : null).submit();
        leave();
        if (!memory.isInPlace()) {
            reusable.run();
        }
    }

    /** The wait for capacity ends with the request. */
    private long patienceNs() {
        return Math.min(loop().group().patienceNs(), Math.max(0, dueNs() - System.nanoTime()));
    }

    private void refuseReply(String text, Runnable reusable) {
        boolean _ = tryFail(RequestStatus.RESOURCE_EXHAUSTED, text);
        reusable.run();
    }

    @Override
    public void fail(RequestStatus status, String text) {
        Objects.requireNonNull(text, "text");
        if (status == RequestStatus.OK) {
            throw new IllegalArgumentException("a request cannot fail with status=OK; reply instead");
        }
        Objects.requireNonNull(status, "status");
        requireOpen();
        boolean _ = tryFail(status, text);
    }

    /** Fails it, unless it has ended; false if it had. */
    boolean tryFail(RequestStatus status, String text) {
        if (answer() != SEEN) {
            return false;
        }
        RequestAnswer.refusal(this, status, true, text).submit();
        leave();
        return true;
    }

    private void requireOpen() {
        if (isAnswered()) {
            throw answeredAlready();
        }
    }

    private boolean isAnswered() {
        int now = state;
        return now == ANSWERED || now == LATE;
    }

    private IllegalStateException answeredAlready() {
        return new IllegalStateException("request is answered already, or closed: tag=" + tag() + ", peer=" + source());
    }

    /**
     * Takes the one answer of the handler. Returns {@code SEEN} if it is to be sent, {@code ENDED} if it is dropped, and another state if it is
     * not the first.
     */
    private int answer() {
        if (STATE.compareAndSet(this, SEEN, ANSWERED)) {
            return SEEN;
        }
        if (STATE.compareAndSet(this, ENDED, LATE)) {
            requests().counters().addFromAnywhere(RequestCounter.ANSWERS_DROPPED);
            // The handler has no use for it any more.
            releaseMemory();
            return ENDED;
        }
        return ANSWERED;
    }

    // Other ends, on the loop's thread.

    /** Whether it has not ended. */
    boolean isOpen() {
        int now = state;
        return (now == OPEN || now == SEEN) && service != null;
    }

    /** Its caller has cancelled it. */
    void cancel() {
        if (service == null && state == OPEN) {
            // A cancel overtakes a long request; the answer has to wait for the request.
            cancelled = true;
        } else {
            end(RequestStatus.CANCELLED, CANCELLED);
        }
    }

    /** Ends it, unless it is answered. */
    void end(RequestStatus status, String text) {
        boolean unseen = STATE.compareAndSet(this, OPEN, REFUSED);
        if (!unseen && !STATE.compareAndSet(this, SEEN, ENDED)) {
            return;
        }
        RequestAnswer.refusal(this, status, !unseen, text).submit();
        ended(unseen);
    }

    /** The connection has ended. */
    void peerGone() {
        if (service == null && state == OPEN) {
            // It is arriving; its completion sees the state.
            state = REFUSED;
            return;
        }
        requests().counters().subtract(RequestCounter.SERVED_NOW);
        boolean unseen = STATE.compareAndSet(this, OPEN, REFUSED);
        if (unseen || STATE.compareAndSet(this, SEEN, ENDED)) {
            ended(unseen);
        }
    }

    private void ended(boolean unseen) {
        NodeService running = service;
        if (running == null) {
            return;
        }
        if (unseen) {
            requests().counters().add(RequestCounter.REFUSED);
            if (!running.forget(this) && BEGUN.compareAndSet(this, false, true)) {
                // Its executor has not begun with it, and may have dropped it.
                releaseMemory();
                running.released(this);
            }
            return;
        }
        stopHolding();
        leave();
        Runnable action;
        synchronized (this) {
            action = cancelAction;
            cancelAction = null;
        }
        if (action != null) {
            loop().deliver((Delivery.OnLoop) () -> running.execute(action));
        }
    }

    /** The answer has left, or will not. Only a handler that has not noticed the end still needs the memory. */
    void answerLeft() {
        // Late answers have released it already.
        if (state != ENDED) {
            releaseMemory();
        }
    }

    // The handler's view.

    @Override
    public void onCancel(Runnable action) {
        Objects.requireNonNull(action, "action");
        synchronized (this) {
            if (!isCancelled()) {
                cancelAction = action;
                return;
            }
        }
        action.run();
    }

    @Override
    public boolean isCancelled() {
        int now = state;
        return now == ENDED || now == LATE;
    }

    @Override
    public Duration timeLeft() {
        return Duration.ofNanos(Math.max(0, dueNs() - System.nanoTime()));
    }

    @Override
    public MemorySegment segment() {
        if (isAnswered()) {
            throw new IllegalStateException(
                    "request is answered or closed, and its memory is not the handler's any more: tag=" + tag()
                            + ", peer=" + source());
        }
        return content();
    }

    @Override
    public Peer source() {
        return requests().peer();
    }

    @Override
    public byte[] bytes() {
        return segment().toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void close() {
        if (STATE.compareAndSet(this, ENDED, LATE)) {
            releaseMemory();
        } else {
            // It can no longer be answered, so its caller gets a failure at once.
            boolean _ = tryFail(RequestStatus.FAILED, "the handler closed the request without an answer");
        }
    }

    @Override
    public String toString() {
        return "request[tag=" + tag() + ", length=" + length() + ", source=" + source() + "]";
    }
}
