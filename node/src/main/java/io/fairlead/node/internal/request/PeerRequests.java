package io.fairlead.node.internal.request;

import io.fairlead.ActiveMessage;
import io.fairlead.ActiveMessageHandler;
import io.fairlead.Authorizer;
import io.fairlead.Authorizer.Verdict;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.node.Message;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestInterceptor;
import io.fairlead.node.RequestOptions;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.internal.errors.Arguments;
import io.fairlead.node.internal.frame.RequestFrame;
import io.fairlead.node.internal.loop.LoopSemaphore;
import io.fairlead.node.internal.loop.NodeSettings;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.memory.ByteLimit;
import io.fairlead.node.internal.memory.Memory;
import io.fairlead.node.internal.memory.NativePool.Block;
import io.fairlead.node.internal.receive.NodeMessage;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** The requests of one connection, of both directions. Belongs to the loop's thread where nothing else is said. */
public final class PeerRequests implements ActiveMessageHandler {
    /** So many that every caller who waits for a permit goes on when the peer has ended. */
    private static final int EVERYBODY = 1 << 30;

    private static final Duration DEADLINE_MAX = Duration.ofNanos(RequestFrame.TIME_LEFT_MAX_NS);

    private final NodeRequests node;
    private final Peer peer;
    private final ProgressLoop loop;
    private final NodeSettings settings;
    private final ByteLimit byteLimit;
    private final RequestLink link;
    private final RequestCounters counters;
    /** How many requests may be without an answer. */
    private final Semaphore permits;

    private final RequestTable table = new RequestTable();
    private final ServedTable served;
    private final RequestPosts posts = new RequestPosts();
    private final LongPayloads payloads = new LongPayloads();
    private final ArrivingAnswers answers = new ArrivingAnswers(this);
    private final RequestDeadlines deadlines;
    private final Leaving leaving;
    private boolean agreed;
    /** The number of the connection; each new connection has the next number. */
    private int connection;

    /**
     * The requests of a peer.
     *
     * @param node the state shared by the requests of all peers
     * @param peer the peer, for callers and messages
     * @param byteLimit bounds the copies that wait to be sent to the peer
     * @param link its connection
     */
    public PeerRequests(NodeRequests node, Peer peer, ProgressLoop loop, ByteLimit byteLimit, RequestLink link) {
        this.node = node;
        this.peer = peer;
        this.loop = loop;
        this.settings = loop.group().settings();
        this.byteLimit = byteLimit;
        this.link = link;
        this.counters = node.on(loop).counters();
        this.permits = new Semaphore(settings.requestsMax());
        this.served = new ServedTable(this, node.newByteLimit());
        this.deadlines = new RequestDeadlines(loop, this);
        this.leaving = new Leaving(this, node);
    }

    // From any thread.

    public CompletableFuture<Message> request(
            MemorySegment message,
            long tag,
            Duration deadline,
            boolean waits,
            MessageContext headers,
            @Nullable Runnable reusable) {
        Arguments.tag(tag);
        RequestInterceptor interceptor = loop.group().interceptor();
        if (interceptor == null) {
            return begin(message, tag, deadline, waits, headers, reusable);
        }
        RequestOptions asked = new RequestOptions(deadline, waits, headers, false);
        RequestOptions options;
        try {
            options = RequestScope.intercepted(interceptor, Optional.of(peer), tag, asked);
        } catch (RequestException refused) {
            Memory.requireAlive(message);
            if (reusable != null) {
                reusable.run();
            }
            return CompletableFuture.failedFuture(refused);
        }
        return begin(message, tag, options.deadline(), options.waitsForConnection(), options.headers(), reusable);
    }

    private CompletableFuture<Message> begin(
            MemorySegment message,
            long tag,
            Duration deadline,
            boolean waits,
            MessageContext headers,
            @Nullable Runnable reusable) {
        long timeNs = RequestScope.limit(deadlineNs(deadline));
        return RequestScope.inherit(request(message, tag, timeNs, loop.group().patienceNs(), waits, headers, reusable));
    }

    /** The nanoseconds of a deadline, negative ones included. */
    public static long deadlineNs(Duration deadline) {
        if (deadline.compareTo(DEADLINE_MAX) > 0) {
            throw new IllegalArgumentException(
                    "deadline out of range: deadline=" + deadline + ", at most " + DEADLINE_MAX + " from now");
        }
        return deadline.isNegative() ? -1 : deadline.toNanos();
    }

    /**
     * With checked arguments. The call may wait {@code patienceNs} for each of
     * three limits.
     *
     * @param waits whether it waits for a connection that is being made again
     * @param reusable run when the memory is free; null to have the memory copied, so that it is free at once
     */
    public NodeRequest request(
            MemorySegment message,
            long tag,
            long timeNs,
            long patienceNs,
            boolean waits,
            MessageContext headers,
            @Nullable Runnable reusable) {
        Memory.requireAlive(message);
        long nowNs = System.nanoTime();
        NodeRequest request = new NodeRequest(this, tag, nowNs, nowNs + timeNs, waits, reusable);
        NodeObserver observer = loop.group().observer();
        if (observer != null) {
            request.observeRequest(observer, node.called(tag).service(), peer, message.byteSize());
        }
        byte[] context = request.encodedContext(headers);
        submit(request, message, context, timeNs, patienceNs);
        return request;
    }

    private void submit(NodeRequest request, MemorySegment message, byte[] context, long timeNs, long patience) {
        long patienceNs = Math.min(patience, timeNs);
        if (timeNs <= 0) {
            request.refuse(
                    RequestStatus.DEADLINE_EXCEEDED,
                    "the deadline is in the past: deadline=" + timeNs + " ns; name the time from now");
            return;
        }
        if (loop.isStopping()) {
            request.refuse(RequestStatus.UNAVAILABLE, "node is closed; start another");
        } else if (!LoopSemaphore.tryAcquire(permits, patienceNs)) {
            request.refuse(
                    RequestStatus.RESOURCE_EXHAUSTED,
                    "too many requests wait for replies: node.requests-max=" + settings.requestsMax()
                            + "; wait for earlier ones and call again");
        } else if (hasMemory(request, message, context, patienceNs) && !loop.enqueue(request, patienceNs)) {
            permits.release(1);
            request.refuse(
                    RequestStatus.RESOURCE_EXHAUSTED,
                    "the progress thread has no room; wait for earlier operations and call again");
        }
    }

    /** Copies what has to be copied. Returns false if the limit of bytes is reached, and the request has failed. */
    private boolean hasMemory(NodeRequest request, MemorySegment message, byte[] context, long patienceNs) {
        String refusal;
        try {
            RequestMemory memory = RequestMemory.tryTake(
                    this,
                    message,
                    request.mayBorrow(),
                    RequestFrame.REQUEST_HEADER_LENGTH,
                    context,
                    patienceNs,
                    () -> false);
            if (memory != null) {
                request.memory(memory);
                return true;
            }
            refusal = "too many bytes wait to be sent to the peer: waiting=" + byteLimit.held() + ", limit="
                    + byteLimit.max() + " bytes of node.queue-bytes; wait for earlier operations and call again";
        } catch (FairleadException noMemory) {
            refusal = String.valueOf(noMemory.getMessage());
        } catch (Throwable closed) {
            permits.release(1);
            request.notifyEnd(closed);
            throw closed;
        }
        permits.release(1);
        request.refuse(RequestStatus.RESOURCE_EXHAUSTED, refusal);
        return false;
    }

    /** The failure of a request that was not sent. */
    RequestException unsent(NodeRequest request, RequestStatus status, String text) {
        counters.addFromAnywhere(RequestCounter.FAILED);
        return RequestException.beforeHandler(status, text).withMessage(message(request, status, text));
    }

    private String message(NodeRequest request, RequestStatus status, String text) {
        return "request failed: status=" + status + ", tag=" + request.tag + ", peer=" + peer + "; " + text;
    }

    // The serving side's rules.

    /** Whether the peer may make requests of a service, by what is in force now. */
    Verdict mayRequest(long service) {
        Authorizer authorizer = node.authorizer();
        Endpoint open = link.open();
        // Without a connection no caller waits for an answer.
        return authorizer.equals(Authorizer.ALL) || open == null
                ? Verdict.ALLOWED
                : authorizer.request(open.peerIdentity(), service);
    }

    // The caller's side.

    RequestTable table() {
        return table;
    }

    /** Takes a request, which has a permit. */
    void accept(NodeRequest request) {
        if (!request.isWaiting()) {
            request.releaseMemory();
            end();
            return;
        }
        Endpoint open = link.open();
        if (open != null && leaving.peerLeaves()) {
            failUnsent(request, RequestStatus.UNAVAILABLE, Leaving.PEER_LEAVES);
        } else if (open != null) {
            post(request, open);
        } else if (!link.isConnecting()) {
            failUnsent(request, RequestStatus.UNAVAILABLE, ended());
        } else if (request.waitsForConnection()) {
            posts.add(request);
            deadlines.watch(request.dueNs);
        } else {
            failUnsent(
                    request,
                    RequestStatus.UNAVAILABLE,
                    "the connection is being made again" + cause()
                            + "; call later, or use RequestOptions.waitingForConnection");
        }
    }

    private void post(RequestPost post, Endpoint open) {
        if (!posts.tryPost(post, open)) {
            link.stall();
        }
        if (post instanceof NodeRequest request) {
            deadlines.watch(request.dueNs);
        }
    }

    /** The remaining time of a request in nanoseconds; 0 if it has ended. */
    long timeLeftToPost(NodeRequest request) {
        if (!request.isWaiting()) {
            request.releaseMemory();
            end();
            return 0;
        }
        if (!agreed) {
            failUnsent(
                    request,
                    RequestStatus.UNSUPPORTED,
                    "the peer is no node that knows requests; update its Fairlead, or send messages");
            return 0;
        }
        long leftNs = request.dueNs - System.nanoTime();
        if (leftNs <= 0) {
            failUnsent(request, RequestStatus.DEADLINE_EXCEEDED, "the deadline has passed before it could be sent");
            return 0;
        }
        return leftNs;
    }

    void posted(NodeRequest request) {
        counters.add(RequestCounter.SENT);
        counters.add(RequestCounter.OUTSTANDING_NOW);
    }

    void notPosted(NodeRequest request, Status status) {
        if (status == Status.BACK_PRESSURE) {
            failUnsent(
                    request,
                    RequestStatus.RESOURCE_EXHAUSTED,
                    "the transport has no room; wait for earlier operations and call again");
        } else {
            failUnsent(request, RequestStatus.UNAVAILABLE, ended());
        }
    }

    void expireUnsent(NodeRequest request) {
        failUnsent(request, RequestStatus.DEADLINE_EXCEEDED, "the deadline has passed before it could be sent");
    }

    void notPosted(NodeRequest request, Throwable thrown) {
        failUnsent(request, RequestStatus.FAILED, "it could not be sent: " + thrown);
    }

    private void failUnsent(NodeRequest request, RequestStatus status, String text) {
        request.fail(unsent(request, status, text));
        end();
    }

    /** A request has left for good. */
    private void end() {
        permits.release(1);
    }

    /** The caller has withdrawn a request. */
    void withdraw(NodeRequest request) {
        if (request.hasOutcome()) {
            return;
        }
        counters.add(RequestCounter.FAILED);
        if (!request.isSent()) {
            if (posts.remove(request)) {
                request.releaseMemory();
                end();
            }
            return;
        }
        if (table.request(request.id()) == request) {
            table.abandon(request.id());
            cancel(request.id());
        }
    }

    private void cancel(int id) {
        send(RequestNotice.cancel(this, id));
    }

    // What arrives.

    /** A message of requests from the peer. */
    @Override
    public void received(ActiveMessage message) {
        if (!agreed) {
            // It is no node's, or of a connection that this side has given up.
            return;
        }
        MemorySegment frame = message.buffer();
        int kind = RequestFrame.kind(frame, message.headerLength());
        switch (kind) {
            case RequestFrame.REQUEST -> served.received(RequestFrame.id(frame), message);
            case RequestFrame.CANCEL -> served.cancelled(RequestFrame.id(frame), message.length());
            case RequestFrame.REPLY, RequestFrame.REFUSAL ->
                answers.received(RequestFrame.id(frame), message, kind == RequestFrame.REPLY);
            case RequestFrame.LEAVE, RequestFrame.LEAVE_CONFIRMED -> leaving.received(kind, frame, message.length());
            default ->
                violated(RequestFrame.violation(
                        "kind or headerLength=" + message.headerLength() + ", allowed 8 bytes, and 24 for a request"));
        }
    }

    /** Receives a payload that is at its sender, now or when the worker has capacity. */
    void receive(ActiveMessage message, MemorySegment buffer, LongPayloads.Payload payload) {
        if (!payloads.tryReceive(message, buffer, payload)) {
            link.stall();
        }
    }

    /** The number of the connection. */
    int connection() {
        return connection;
    }

    /** The answer to a request is here, or is lost. */
    void answered(int id, @Nullable NodeMessage reply, @Nullable RequestException refusal) {
        NodeRequest request = table.request(id);
        table.remove(id);
        counters.add(RequestCounter.OUTSTANDING_NOW, -1);
        end();
        if (request == null || !request.isWaiting()) {
            counters.add(RequestCounter.LATE_REPLIES);
            if (reply != null) {
                reply.close();
            }
        } else if (reply != null) {
            counters.add(RequestCounter.SUCCEEDED);
            request.succeed(reply);
        } else {
            RequestException cause = Objects.requireNonNull(refusal, "refusal");
            counters.add(RequestCounter.FAILED);
            request.fail(cause.withMessage(message(request, cause.status(), cause.text())));
        }
    }

    /** The peer has sent what no node sends. */
    void violated(FairleadException what) {
        Endpoint open = link.open();
        if (open != null) {
            link.violated(open, what);
        }
    }

    // The service's side.

    Peer peer() {
        return peer;
    }

    NodeRequests node() {
        return node;
    }

    ByteLimit byteLimit() {
        return byteLimit;
    }

    ProgressLoop loop() {
        return loop;
    }

    RequestCounters counters() {
        return counters;
    }

    /** Memory for a refusal or a cancel; null if there is none now. */
    @Nullable Block shortBlock() {
        return node.on(loop).shortBlock();
    }

    RequestDeadlines deadlines() {
        return deadlines;
    }

    ServedTable served() {
        return served;
    }

    /** The longest payload that is received. */
    long messageMax() {
        return settings.messageMax();
    }

    /** Sends an answer. */
    void send(AnsweredRequest answer) {
        Endpoint open = link.open();
        if (open == null) {
            answer.notPosted(Status.CLOSED);
        } else {
            post(answer, open);
        }
    }

    // Leaving.

    /** Whether the peer has said that it leaves. On any thread. */
    public boolean peerLeaves() {
        return leaving.peerLeaves();
    }

    /** This node leaves: notifies the peer, once for each connection. Returns true if nothing is left to answer, and the peer sends nothing more. */
    public boolean leave() {
        Endpoint open = link.open();
        return open == null || !agreed || leaving.leave();
    }

    Leaving leaving() {
        return leaving;
    }

    /** The peer leaves: fails what waits to be sent. */
    void failUnsentRequests(RequestStatus status, String text) {
        posts.failRequests(request -> failUnsent(request, status, text));
    }

    /** Sends a notice, if there is a connection. */
    void send(RequestNotice notice) {
        Endpoint open = link.open();
        if (open != null) {
            post(notice, open);
        }
    }

    // The connection.

    public void connected(int peerFeatures) {
        agreed = (peerFeatures & RequestFrame.FEATURE) != 0;
        leaving.connected();
        connection++;
    }

    public boolean isIdle() {
        return posts.isEmpty();
    }

    /** Receives and posts what waits; true if nothing is left of it. */
    public boolean retry(Endpoint open) {
        boolean received = payloads.retry();
        return posts.retry(open) && received;
    }

    /** Gives up what waits to be posted. */
    public void failBacklog() {
        posts.failAll(Status.CLOSED, link.isConnecting());
    }

    /** The connection has ended. */
    public void disconnected() {
        agreed = false;
        connection++;
        posts.failAll(Status.CLOSED, link.isConnecting());
        payloads.disconnected();
        for (int slot = 0; slot < table.slots(); slot++) {
            NodeRequest request = table.at(slot);
            if (request != null) {
                counters.add(RequestCounter.FAILED);
                request.lose(new RequestException(RequestStatus.UNAVAILABLE, ended())
                        .withMessage(message(request, RequestStatus.UNAVAILABLE, ended())));
            }
        }
        int outstanding = table.count();
        counters.add(RequestCounter.OUTSTANDING_NOW, -outstanding);
        table.clear();
        permits.release(outstanding);
        served.disconnected();
        deadlines.stop();
        posts.forEachRequest(waiting -> deadlines.watch(waiting.dueNs));
    }

    /** The peer has ended for good: callers who wait for a permit go on, and their requests fail. */
    public void over() {
        permits.release(EVERYBODY);
    }

    private String ended() {
        return loop.isStopping()
                ? "the node closes; start another"
                : "the connection has ended" + cause() + "; connect again";
    }

    private String cause() {
        return link.cause().map(failure -> ": " + failure.getMessage()).orElse("");
    }

    /** The node's own work for these requests has failed: the peer ends with it. */
    void failThrown(Throwable thrown) {
        link.failThrown(thrown);
    }

    /** Ends what is past its deadline. Returns the nanoseconds until the earliest of the others, or {@link Long#MAX_VALUE} if there is none. */
    long expire(long nowNs) {
        long earliestNs = served.expire(nowNs);
        for (int slot = 0; slot < table.slots(); slot++) {
            NodeRequest request = table.at(slot);
            if (request != null && request.dueNs - nowNs <= 0) {
                table.abandon(request.id());
                counters.add(RequestCounter.FAILED);
                String text = "no reply within the deadline";
                request.fail(new RequestException(RequestStatus.DEADLINE_EXCEEDED, text)
                        .withMessage(message(request, RequestStatus.DEADLINE_EXCEEDED, text)));
            } else if (request != null) {
                earliestNs = Math.min(earliestNs, request.dueNs - nowNs);
            }
        }
        return Math.min(earliestNs, posts.expire(nowNs));
    }
}
