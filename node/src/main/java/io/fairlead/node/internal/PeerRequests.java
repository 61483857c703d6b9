package io.fairlead.node.internal;

import io.fairlead.Authorizer;
import io.fairlead.Authorizer.Verdict;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.node.BackPressure;
import io.fairlead.node.Message;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.spi.LayerReceive;
import io.fairlead.spi.PrefacedMessage;
import io.fairlead.statistics.OperationKind;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The requests of one connection, of both directions. Belongs to the loop's thread where nothing else is said. */
final class PeerRequests {
    private final NodePeer peer;
    private final ProgressLoop loop;
    private final NodeSettings settings;
    private final PeerLink link;
    private final PeerPosts sends;
    private final RequestFigures figures;
    private final RequestRoom room;

    private final RequestTable table = new RequestTable();
    private final ServedTable served;
    private final RequestPosts posts = new RequestPosts();
    private final RequestDeadlines deadlines;
    private boolean agreed;
    /** Which connection it is, of those that replace each other. */
    private int connection;

    PeerRequests(NodePeer peer, PeerLink link, PeerPosts sends) {
        this.peer = peer;
        this.loop = peer.loop();
        this.settings = peer.settings();
        this.link = link;
        this.sends = sends;
        this.figures = loop.node().requestFigures(loop);
        this.room = new RequestRoom(settings.requestsMax());
        this.served = new ServedTable(this, loop.node());
        this.deadlines = new RequestDeadlines(loop, this);
    }

    // From any thread.

    CompletableFuture<Message> request(
            MemorySegment message, long tag, Duration deadline, @Nullable Runnable reusable) {
        Arguments.tag(tag);
        return request(
                message, tag, RequestRoom.deadlineNs(deadline), loop.node().patienceNs(), reusable);
    }

    /**
     * As asked for by a call that has checked its arguments, and may wait so long for room, three times.
     *
     * @param reusable run when the memory is free; null to have the memory copied, so that it is free at once
     */
    NodeRequest request(MemorySegment message, long tag, long timeNs, long patienceNs, @Nullable Runnable reusable) {
        Memory.requireAlive(message);
        NodeRequest request = new NodeRequest(peer, tag, System.nanoTime() + timeNs, reusable);
        byte[] context = RequestMemory.NO_CONTEXT;
        NodeObserver observer = loop.node().observer();
        if (observer != null) {
            request.observe(observer, OperationKind.SEND, Optional.of(peer), message.byteSize());
            context = request.encodedContext();
        }
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
        } else if (!room.tryAcquire(patienceNs)) {
            request.refuse(
                    RequestStatus.RESOURCE_EXHAUSTED,
                    "too many requests wait for replies: node.requests-max=" + settings.requestsMax()
                            + "; wait for earlier ones and call again");
        } else if (hasMemory(request, message, context, patienceNs) && !loop.enqueue(request, patienceNs)) {
            room.release(1);
            request.refuse(
                    RequestStatus.RESOURCE_EXHAUSTED,
                    "the progress thread has no room; wait for earlier operations and call again");
        }
    }

    /** Copies what has to be copied; false if there is no room for it, and the request has failed. */
    private boolean hasMemory(NodeRequest request, MemorySegment message, byte[] context, long patienceNs) {
        ByteRoom byteRoom = peer.byteRoom();
        boolean mayBorrow = request.mayBorrow();
        long bytes = RequestMemory.copiedBytes(message, mayBorrow, RequestFrame.HEADER_LENGTH, context, loop);
        String refusal;
        if (bytes > 0 && !byteRoom.tryTake(bytes, patienceNs)) {
            refusal = "too many bytes wait to be sent to the peer: waiting=" + byteRoom.held() + ", limit="
                    + byteRoom.max() + " bytes of node.queue-bytes; wait for earlier operations and call again";
        } else {
            try {
                request.memory(RequestMemory.request(message, mayBorrow, context, loop, byteRoom));
                return true;
            } catch (FairleadException noMemory) {
                byteRoom.giveBack(bytes);
                refusal = String.valueOf(noMemory.getMessage());
            } catch (Throwable closed) {
                byteRoom.giveBack(bytes);
                room.release(1);
                request.tellEnd(closed);
                throw closed;
            }
        }
        room.release(1);
        request.refuse(RequestStatus.RESOURCE_EXHAUSTED, refusal);
        return false;
    }

    /** What a request fails with that was not sent. */
    RequestException unsent(NodeRequest request, RequestStatus status, String text) {
        figures.addFromAnywhere(RequestCounter.FAILED);
        return RequestException.beforeHandler(status, text).withMessage(message(request, status, text));
    }

    private String message(NodeRequest request, RequestStatus status, String text) {
        return "request failed: status=" + status + ", tag=" + request.tag + ", peer=" + peer + "; " + text;
    }

    // The serving side's rules.

    /** Whether the peer may make requests of a service, by what is in force now. */
    Verdict mayRequest(long service) {
        Authorizer authorizer = loop.node().context().authorizer();
        Endpoint open = link.open();
        // Without a connection nobody waits for an answer.
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
        if (open != null) {
            post(request, open);
        } else if (!link.isConnecting()) {
            failUnsent(request, RequestStatus.UNAVAILABLE, ended());
        } else if (settings.backPressure() == BackPressure.WAIT) {
            posts.add(request);
            deadlines.watch(request.dueNs);
        } else {
            failUnsent(
                    request,
                    RequestStatus.UNAVAILABLE,
                    "the connection is being made again" + cause() + "; call later");
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

    /** The time that a request has, in nanoseconds; 0 if it has ended, and negative if it cannot be posted now. */
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
        return sends.isMessageDue() ? Endpoint.BACK_PRESSURE : leftNs;
    }

    void posted(NodeRequest request) {
        figures.add(RequestCounter.SENT);
        figures.add(RequestCounter.OUTSTANDING_NOW);
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
        room.release(1);
    }

    /** The caller has given a request another end. */
    void withdraw(NodeRequest request) {
        if (request.hasOutcome()) {
            return;
        }
        figures.add(RequestCounter.FAILED);
        if (!request.isSent()) {
            if (request.isAccepted() && posts.remove(request)) {
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
        Endpoint open = link.open();
        if (open != null) {
            post(new RequestCancel(this, id), open);
        }
    }

    /** Whether the place of a request is still taken, so that a cancel makes sense; of one whose caller waits no more. */
    boolean isOutstanding(int id) {
        return table.isOutstanding(id);
    }

    // What arrives.

    /** How to receive one of the messages of requests; inside progress. */
    LayerReceive receive(PrefacedMessage message) {
        if (!agreed || isVerbatim(message.preface())) {
            return LayerReceive.NONE;
        }
        int id = RequestFrame.id(message.tag());
        return switch (RequestFrame.kind(message.tag())) {
            case RequestFrame.REQUEST -> served.receive(id, message.length());
            case RequestFrame.CANCEL -> served.receiveCancel(id, message.length());
            case RequestFrame.REPLY -> new AnswerReceive(this, id, message.length(), connection, true);
            default -> new AnswerReceive(this, id, message.length(), connection, false);
        };
    }

    private static boolean isVerbatim(Optional<Object> preface) {
        return preface.isPresent() && preface.get() instanceof ArrivedFrame frame && frame.isVerbatim();
    }

    /** Whether an answer is of this connection. */
    boolean isCurrent(int ofConnection) {
        return connection == ofConnection;
    }

    /** The answer to a request is here, or is lost. */
    void answered(int id, @Nullable NodeMessage reply, @Nullable RequestException refusal) {
        NodeRequest request = table.request(id);
        table.remove(id);
        figures.subtract(RequestCounter.OUTSTANDING_NOW);
        end();
        if (request == null || !request.isWaiting()) {
            figures.add(RequestCounter.LATE_REPLIES);
            if (reply != null) {
                reply.close();
            }
        } else if (reply != null) {
            figures.add(RequestCounter.SUCCEEDED);
            request.succeed(reply);
        } else {
            RequestException cause = Objects.requireNonNull(refusal, "refusal");
            figures.add(RequestCounter.FAILED);
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

    NodePeer peer() {
        return peer;
    }

    ProgressLoop loop() {
        return loop;
    }

    RequestFigures figures() {
        return figures;
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
    void send(RequestAnswer answer) {
        Endpoint open = link.open();
        if (open == null) {
            answer.notPosted(Status.CLOSED);
        } else {
            post(answer, open);
        }
    }

    /** Whether the peer would take the next message for something else. */
    boolean isMessageDue() {
        return sends.isMessageDue();
    }

    // The connection.

    void connected(int peerFeatures) {
        agreed = (peerFeatures & RequestFrame.FEATURE) != 0;
        connection++;
    }

    boolean isIdle() {
        return posts.isEmpty();
    }

    /** Posts what waits; true if nothing is left of it. */
    boolean retry(Endpoint open) {
        return posts.retry(open);
    }

    /** Gives up what waits to be posted. */
    void failBacklog() {
        posts.failAll(Status.CLOSED);
    }

    /** The connection has ended. */
    void disconnected() {
        agreed = false;
        connection++;
        posts.failAll(Status.CLOSED);
        for (int slot = 0; slot < table.places(); slot++) {
            NodeRequest request = table.at(slot);
            if (request != null) {
                figures.add(RequestCounter.FAILED);
                request.fail(new RequestException(RequestStatus.UNAVAILABLE, ended())
                        .withMessage(message(request, RequestStatus.UNAVAILABLE, ended())));
            }
        }
        int outstanding = table.count();
        figures.subtract(RequestCounter.OUTSTANDING_NOW, outstanding);
        table.clear();
        room.release(outstanding);
        served.disconnected();
        deadlines.stop();
    }

    /** The peer has ended for good: callers who wait for room go on, and are told. */
    void over() {
        room.open();
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

    /** Ends what is past its deadline; the earliest of the others, or {@link Long#MAX_VALUE} nanoseconds from now on if there is none. */
    long expire(long nowNs) {
        long earliestNs = served.expire(nowNs);
        for (int slot = 0; slot < table.places(); slot++) {
            NodeRequest request = table.at(slot);
            if (request != null && request.dueNs - nowNs <= 0) {
                table.abandon(request.id());
                figures.add(RequestCounter.FAILED);
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
