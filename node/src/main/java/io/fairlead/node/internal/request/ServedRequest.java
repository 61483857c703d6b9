package io.fairlead.node.internal.request;

import io.fairlead.Authorizer.Verdict;
import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceRequest;
import io.fairlead.node.internal.frame.RequestFrame;
import io.fairlead.node.internal.loop.Delivery;
import io.fairlead.node.internal.memory.ByteLimit;
import io.fairlead.node.internal.memory.Memory;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request of a peer that goes to its service and is answered once. The first change of its state decides how it ends: by a handler,
 * or by the loop for a cancel, the deadline or the end of the connection.
 */
final class ServedRequest extends AnsweredRequest
        implements ServiceRequest, Delivery.OnLoop, Runnable, BooleanSupplier {
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

    /** When it arrived, then when its handler was called. An end that races with the call is measured from either. */
    private long sinceNs;

    private volatile byte[] replyContext = RequestMemory.NO_CONTEXT;
    /** Set under the lock. */
    private @Nullable Runnable cancelAction;
    /** Requests of its handler that end with it. Set and changed under the lock. */
    private @Nullable Set<CompletableFuture<?>> made;

    @SuppressWarnings("unused") // By STATE.
    private volatile int state;

    /** Its executor has begun with it, or has rejected it. By BEGUN. */
    @SuppressWarnings("unused")
    private volatile boolean begun;

    /** What keeps its slot in the service: the handler's call, and the request until it has ended. By HOLDERS. */
    @SuppressWarnings("unused")
    private volatile int holders = 2;

    /** One that waited may be refused by a close of the service, without a slot. */
    private volatile boolean hasSlot;

    /** Its caller has cancelled it before it had arrived. */
    private boolean cancelled;

    /** A request whose header is here. */
    ServedRequest(PeerRequests requests, int id) {
        super(requests, id);
    }

    /** It has a slot of its service. */
    void tookSlot() {
        hasSlot = true;
    }

    NodeService.Share share() {
        return Objects.requireNonNull(share, "share");
    }

    // Arriving, on the loop's thread.

    @Override
    void payloadEnded(Status status) {
        if (state == OPEN && status == Status.OK) {
            received();
        } else {
            lost();
        }
    }

    /** The connection has ended, and the table with it, or is about to. */
    @Override
    public void lost() {
        requests.served().remove(this);
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
        if (requests.leaving().refusesRequests()) {
            refuse(RequestStatus.UNAVAILABLE, "the node leaves and takes no further requests; ask another");
            return;
        }
        Verdict verdict = requests.mayRequest(tag());
        if (!verdict.isAllowed()) {
            refuse(RequestStatus.PERMISSION_DENIED, "the peer may not be asked for this: " + verdict.reason());
            return;
        }
        NodeService found = requests.node().services().get(tag());
        if (found == null) {
            refuse(
                    RequestStatus.UNIMPLEMENTED,
                    "the peer has no service with this tag; start the service, or ask for the right tag");
        } else if (length() > requests.messageMax()) {
            refuse(RequestStatus.RESOURCE_EXHAUSTED, tooLong(length()));
        } else {
            service = found;
            sinceNs = System.nanoTime();
            share = requests.served().shareOf(found);
            requests.deadlines().watch(dueNs);
            found.offer(this);
        }
    }

    /** Ends it before a handler has seen it. */
    @Override
    void refuse(RequestStatus status, String text) {
        if (STATE.compareAndSet(this, OPEN, REFUSED)) {
            requests.counters().addFromAnywhere(RequestCounter.REFUSED);
            countRefusal(status);
            sendRefusal(status, false, text);
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
        long nowNs = System.nanoTime();
        running.figures().began(nowNs - sinceNs);
        sinceNs = nowNs;
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
    public void replyHeaders(MessageContext headers) {
        requireOpen();
        replyContext = headers.isEmpty() ? RequestMemory.NO_CONTEXT : headers.encode();
    }

    @Override
    public void reply(MemorySegment message, Runnable reusable) {
        Objects.requireNonNull(reusable, "reusable");
        Memory.requireAlive(message);
        requireOpen();
        RequestMemory memory;
        try {
            memory = RequestMemory.tryTake(
                    requests, message, true, RequestFrame.HEADER_LENGTH, replyContext, patienceNs(), this);
        } catch (FairleadException noMemory) {
            refuseReply("the reply is lost: " + noMemory.getMessage(), reusable);
            return;
        }
        if (memory == null) {
            ByteLimit limit = requests.byteLimit();
            refuseReply(
                    "the caller takes its replies too slowly, so that this one is lost: length=" + message.byteSize()
                            + ", waiting=" + limit.held() + ", limit=" + limit.max()
                            + " bytes of the service's node.queue-bytes; take replies faster, or ask for less at once",
                    reusable);
            return;
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
        countEnd(RequestStatus.OK);
        // Behind the call the memory is another's.
        boolean inPlace = memory.isInPlace();
        sendReply(memory, inPlace ? reusable : null);
        leave();
        if (!inPlace) {
            reusable.run();
        }
    }

    /** Whether a reply is in vain: the request has ended. */
    @Override
    public boolean getAsBoolean() {
        return state != SEEN;
    }

    /** The wait for capacity ends with the request. */
    private long patienceNs() {
        return Math.min(loop().group().patienceNs(), Math.max(0, dueNs - System.nanoTime()));
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
        countEnd(status);
        sendRefusal(status, true, text);
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
            requests.counters().addFromAnywhere(RequestCounter.ANSWERS_DROPPED);
            // The handler has no use for it any more.
            releaseMemory();
            return ENDED;
        }
        return ANSWERED;
    }

    private void count(RequestStatus status, boolean unseen) {
        if (unseen) {
            countRefusal(status);
        } else {
            countEnd(status);
        }
    }

    /** Without a service there is nothing that could be counted apart. */
    private void countRefusal(RequestStatus status) {
        NodeService asked = service;
        if (asked != null) {
            asked.figures().refused(status);
        }
    }

    private void countEnd(RequestStatus status) {
        NodeService asked = service;
        if (asked != null) {
            asked.figures().ended(status, System.nanoTime() - sinceNs);
        }
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
        count(status, unseen);
        sendRefusal(status, !unseen, text);
        ended(unseen);
    }

    /** The connection has ended. */
    void peerGone() {
        if (service == null && state == OPEN) {
            // It is arriving; its completion sees the state.
            state = REFUSED;
            return;
        }
        requests.counters().add(RequestCounter.SERVED_NOW, -1);
        boolean unseen = STATE.compareAndSet(this, OPEN, REFUSED);
        if (unseen || STATE.compareAndSet(this, SEEN, ENDED)) {
            count(RequestStatus.UNAVAILABLE, unseen);
            ended(unseen);
        }
    }

    private void ended(boolean unseen) {
        NodeService running = service;
        if (running == null) {
            return;
        }
        if (unseen) {
            requests.counters().add(RequestCounter.REFUSED);
            if (!running.forget(this) && BEGUN.compareAndSet(this, false, true)) {
                // Its executor has not begun with it, and may have dropped it.
                releaseMemory();
                if (hasSlot) {
                    running.released(this);
                }
            }
            return;
        }
        stopHolding();
        leave();
        Runnable action;
        List<CompletableFuture<?>> unanswered;
        synchronized (this) {
            action = cancelAction;
            cancelAction = null;
            unanswered = made == null ? List.of() : List.copyOf(made);
            made = null;
        }
        if (!unanswered.isEmpty()) {
            // Their futures run code of the application, which does not belong into the worker's progress.
            loop().deliver((Delivery) () -> unanswered.forEach(request -> request.cancel(false)));
        }
        if (action != null) {
            loop().deliver((Delivery.OnLoop) () -> running.execute(action));
        }
    }

    /** Only a handler that has not noticed the end still needs the memory. */
    @Override
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

    /** Cancels a request that its handler has made when this one ends without an answer, or at once if it has. */
    void adopt(CompletableFuture<?> request) {
        synchronized (this) {
            if (!isCancelled()) {
                if (made == null) {
                    made = Collections.newSetFromMap(new IdentityHashMap<>());
                }
                made.add(request);
            }
        }
        CompletableFuture<?> _ = request.whenComplete((_, _) -> forget(request));
        if (isCancelled()) {
            request.cancel(false);
        }
    }

    @SuppressWarnings("UndefinedEquals") // By identity.
    private synchronized void forget(CompletableFuture<?> request) {
        if (made != null) {
            made.remove(request);
        }
    }

    @Override
    public void run(Runnable task) {
        Objects.requireNonNull(task, "task");
        try {
            RequestScope.handle(this, _ -> task.run());
        } catch (RuntimeException thrown) {
            throw thrown;
        } catch (Exception impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public boolean isCancelled() {
        int now = state;
        return now == ENDED || now == LATE;
    }

    @Override
    public Duration timeLeft() {
        return Duration.ofNanos(Math.max(0, dueNs - System.nanoTime()));
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
        return requests.peer();
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
