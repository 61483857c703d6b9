package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException.Reason;
import io.fairlead.ReconnectPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.BackPressure;
import io.fairlead.node.Message;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestOptions;
import io.fairlead.node.RequestStatistics;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.ServiceRequest;
import io.fairlead.spi.LayerWorker;
import io.fairlead.testkit.contract.End;
import io.fairlead.testkit.contract.Event;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Semantics;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests of nodes whose connection ends, that find no capacity, or whose peer lies. */
public class NodeRequestFailureContract extends RequestCases {
    /** What a node says in the handshake that knows requests. */
    private static final int KNOWS_REQUESTS = 2;

    /** The handler number of the messages of requests. */
    private static final int HANDLER = 128;

    private static final int KIND_SHIFT = 22;
    private static final int REPLY = 1;
    private static final int REFUSAL = 2;
    private static final int CANCEL = 3;
    private static final int LEAVE = 4;
    private static final int LEAVE_CONFIRMED = 5;
    private static final long DAY_NS = Duration.ofDays(1).toNanos();

    /** Creates the suite. */
    protected NodeRequestFailureContract() {}

    @Test
    @Semantics("Q-35")
    void shouldBoundTheBytesOfRepliesToACallerThatTakesNone() {
        configureFewCredits();
        configure(NodeKeys.QUEUE_BYTES, 1 << 20);
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMillis(500));
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        Service service = serverNode().serve(TAG, asked::add);
        // A reply that has left counts no more, and frees no more than it took.
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Message> request = peers.client().request(new byte[1], TAG, LONG);
            take(asked, "a request").reply(new byte[1 << 16]);
            get(request).close();
        }
        List<CompletableFuture<Message>> requests = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            requests.add(peers.client().request(new byte[1], TAG, LONG));
        }
        List<ServiceRequest> served = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            served.add(take(asked, "a request"));
        }
        try (HeldThread _ = new HeldThread(clientNode())) {
            served.forEach(request -> request.reply(new byte[65_000]));
            until(() -> service.running() == 0, "the places of the service to be free");
            // The node goes on with everybody else.
            Peer other = get(startNode("other").connect(address()));
            nextAccepted();
            CompletableFuture<Message> request = other.request(new byte[1], TAG, LONG);
            take(asked, "a request").reply(new byte[65_000]);
            get(request).close();
        }
        int replies = 0;
        for (CompletableFuture<Message> request : requests) {
            if (isFailed(request)) {
                RequestException refused = refusalOf(RequestStatus.RESOURCE_EXHAUSTED, request);
                assertMentions("node.queue-bytes", refused);
                assertFalse(refused.isSafeToRetry(), "a handler has seen it");
            } else {
                get(request).close();
                replies++;
            }
        }
        assertEquals(4, replies);
        assertNothingLeft();
    }

    private static boolean isFailed(CompletableFuture<Message> request) {
        return get(request.handle((_, failure) -> failure != null));
    }

    @Test
    @Semantics("Q-36")
    void shouldFreeThePlaceOfARequestThatAnExecutorHasDropped() {
        Peers peers = connectNodes();
        Service service = serverNode()
                .serve(
                        TAG,
                        request -> request.reply(new byte[1]),
                        ServiceOptions.DEFAULT.on(_ -> {}).limits(1, 0));
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Message> request = peers.client().request(new byte[1], TAG, Duration.ofMillis(50));
            refusalOf(RequestStatus.DEADLINE_EXCEEDED, request);
            until(() -> service.running() == 0, "the place to be free");
        }
        CompletableFuture<Message> cancelled = peers.client().request(new byte[1], TAG, LONG);
        until(() -> service.running() == 1, "the request to be served");
        cancelled.cancel(false);
        until(() -> service.running() == 0, "the place to be free");
        CompletableFuture<Message> lost = peers.client().request(new byte[1], TAG, LONG);
        until(() -> service.running() == 1, "the request to be served");
        peers.client().abort();
        until(() -> service.running() == 0, "the place to be free");
        refusalOf(RequestStatus.UNAVAILABLE, lost);
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-37")
    void shouldLeavePlacesForOtherPeers() {
        Peers greedy = connectNodes();
        Peers other = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        Service service = serverNode().serve(TAG, asked::add, ServiceOptions.DEFAULT.limits(8, 8));
        List<CompletableFuture<Message>> requests = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            requests.add(greedy.client().request(bytes("greedy"), TAG, LONG));
        }
        List<ServiceRequest> served = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            served.add(take(asked, "a request"));
        }
        for (int i = 12; i < 20; i++) {
            assertTrue(
                    refusalOf(RequestStatus.RESOURCE_EXHAUSTED, requests.get(i)).isSafeToRetry());
        }
        assertEquals(6, service.running());
        assertEquals(6, service.waiting());

        CompletableFuture<Message> fair = other.client().request(bytes("other"), TAG, LONG);
        ServiceRequest ofOther = take(asked, "the other's request");
        assertEquals("other", text(ofOther));
        ofOther.reply(new byte[1]);
        get(fair).close();

        served.forEach(request -> request.reply(new byte[1]));
        for (int i = 0; i < 6; i++) {
            take(asked, "a request that waited").reply(new byte[1]);
        }
        requests.subList(0, 12).forEach(request -> get(request).close());
        until(() -> service.running() == 0 && service.waiting() == 0, "the places to be free");
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-20")
    void shouldFailEveryRequestOnceWhenThePeerIsLost() {
        configureFewCredits();
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, asked::add);
        List<CompletableFuture<Message>> requests = new ArrayList<>();
        AtomicInteger ends = new AtomicInteger();
        for (int i = 0; i < 500; i++) {
            // Some are served, some are in the engine, and some still wait for credits.
            CompletableFuture<Message> request = peers.client().request(new byte[100], TAG, LONG);
            CompletableFuture<Message> _ = request.whenComplete((_, _) -> ends.incrementAndGet());
            requests.add(request);
        }
        ServiceRequest served = take(asked, "a request");
        peers.server().abort();
        int safe = 0;
        for (CompletableFuture<Message> request : requests) {
            RequestException lost = refusalOf(RequestStatus.UNAVAILABLE, request);
            safe += lost.isSafeToRetry() ? 1 : 0;
        }
        assertFalse(refusalOf(requests.getFirst()).isSafeToRetry(), "a handler has seen it");
        until(() -> ends.get() == requests.size(), "each future to have ended once");
        until(served::isCancelled, "the handler to see the end");
        served.reply(new byte[1]);
        int sent = (int) RequestStatistics.of(clientNode().context()).value(RequestCounter.SENT);
        assertEquals(requests.size() - sent, safe, "what was not sent can be sent again");
        assertTrue(refusalOf(RequestStatus.UNAVAILABLE, peers.client().request(new byte[1], TAG, LONG))
                .isSafeToRetry());
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-21")
    void shouldFailRequestsWhenEitherNodeCloses() {
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, asked::add);
        CompletableFuture<Message> byPeer = peers.client().request(new byte[1], TAG, LONG);
        take(asked, "a request");
        peers.client().close();
        refusalOf(RequestStatus.UNAVAILABLE, byPeer);
        assertNothingLeft();
        Peers others = connectNodes();
        CompletableFuture<Message> byServer = others.client().request(new byte[1], TAG, LONG);
        ServiceRequest served = take(asked, "another request");
        serverNode().close();
        refusalOf(RequestStatus.UNAVAILABLE, byServer);
        assertTrue(served.isCancelled());
        served.reply(new byte[1]);
        clientNode().close();
        assertTrue(refusalOf(RequestStatus.UNAVAILABLE, others.client().request(new byte[1], TAG, LONG))
                .isSafeToRetry());
        assertEquals(0, RequestStatistics.of(clientNode().context()).value(RequestCounter.OUTSTANDING_NOW));
        assertEquals(0, RequestStatistics.of(serverNode().context()).value(RequestCounter.SERVED_NOW));
    }

    @Test
    @Semantics("Q-22")
    void shouldSendRequestsOnceAConnectionIsMadeAgain() {
        Peers peers = connectNodes(ReconnectPolicy.afterFailure(Duration.ofMillis(400), Duration.ofMillis(400)));
        serverNode().serve(TAG, request -> request.reply(request.segment()));
        CompletableFuture<Message> marker = peers.client().receive(1);
        peers.server().abort();
        failureOf(marker);
        RequestException atOnce =
                refusalOf(RequestStatus.UNAVAILABLE, peers.client().request(bytes("at once"), TAG, LONG));
        assertTrue(atOnce.isSafeToRetry());
        assertMentions("the connection is being made again", atOnce);
        RequestOptions patient = RequestOptions.within(LONG).waitingForConnection();
        CompletableFuture<Message> late = peers.client()
                .request(
                        bytes("late"),
                        TAG,
                        RequestOptions.within(Duration.ofMillis(20)).waitingForConnection());
        CompletableFuture<Message> again = peers.client().request(bytes("again"), TAG, patient);
        assertTrue(refusalOf(RequestStatus.DEADLINE_EXCEEDED, late).isSafeToRetry());
        assertEquals("again", textOf(again));
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-23")
    void shouldBoundRequestsThatAreNotAnswered() {
        configure(NodeKeys.REQUESTS_MAX, 4);
        configure(NodeKeys.BACK_PRESSURE, BackPressure.FAIL);
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, asked::add);
        List<CompletableFuture<Message>> requests = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            requests.add(peers.client().request(new byte[1], TAG, LONG));
        }
        RequestException full =
                refusalOf(RequestStatus.RESOURCE_EXHAUSTED, peers.client().request(new byte[1], TAG, LONG));
        assertTrue(full.isSafeToRetry());
        assertMentions("node.requests-max=4", full);
        take(asked, "a request").reply(new byte[1]);
        until(() -> requests.stream().anyMatch(CompletableFuture::isDone), "a reply");
        requests.add(peers.client().request(new byte[1], TAG, LONG));
        for (int i = 0; i < 4; i++) {
            take(asked, "a request").reply(new byte[1]);
        }
        requests.forEach(NodeCases::get);
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-23")
    void shouldLetCallersWaitForRoom() {
        configure(NodeKeys.REQUESTS_MAX, 4);
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        configureFewCredits();
        Peers peers = connectNodes();
        serverNode().serve(TAG, request -> request.reply(request.segment()));
        List<CompletableFuture<Message>> requests = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            requests.add(peers.client().request(new byte[512], TAG, LONG));
        }
        requests.forEach(NodeCases::get);
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-23")
    void shouldAnswerWithFewOperationsOfTheWorker() {
        configure(ConfigKeys.OPERATIONS_MAX, 16);
        configureFewCredits();
        Peers peers = connectNodes();
        serverNode().serve(TAG, request -> request.reply(request.segment()));
        clientNode().serve(TAG, request -> request.reply(request.segment()), ServiceOptions.DEFAULT.onProgressThread());
        List<CompletableFuture<Message>> requests = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Peer peer = i % 2 == 0 ? peers.client() : peers.server();
            requests.add(peer.request(pattern(i % 3 == 0 ? 9000 : 500, i), TAG, LONG));
        }
        for (int i = 0; i < requests.size(); i++) {
            Pattern.verify(get(requests.get(i)).segment(), 0, i % 3 == 0 ? 9000 : 500, i);
        }
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-24")
    void shouldRefuseRequestsAndRepliesThatAreTooLong() {
        configure(NodeKeys.MESSAGE_MAX, 1000);
        Peers peers = connectNodes();
        serverNode().serve(TAG, request -> request.reply(new byte[(int) request.length() + 1]));
        assertEquals(1000, get(peers.client().request(new byte[999], TAG, LONG)).length());
        RequestException longReply =
                refusalOf(RequestStatus.RESOURCE_EXHAUSTED, peers.client().request(new byte[1000], TAG, LONG));
        assertFalse(longReply.isSafeToRetry());
        for (int length : new int[] {1001, 6000, 100_000}) {
            RequestException longRequest =
                    refusalOf(RequestStatus.RESOURCE_EXHAUSTED, peers.client().request(pattern(length, 1), TAG, LONG));
            assertTrue(longRequest.isSafeToRetry());
            assertMentions("node.message-max=1000", longRequest);
        }
        assertEquals(3, get(peers.client().request(new byte[2], TAG, LONG)).length());
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-27")
    void shouldBoundTheBytesOfRequestsThatAreHeld() {
        configure(NodeKeys.MESSAGE_MAX, 1 << 20);
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, asked::add);
        List<CompletableFuture<Message>> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(peers.client().request(pattern(1 << 20, i), TAG, LONG));
            take(asked, "a request").onCancel(() -> {});
        }
        List<CompletableFuture<Message>> more = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            more.add(peers.client().request(pattern(1 << 20, i), TAG, LONG));
        }
        for (CompletableFuture<Message> request : more) {
            RequestException refused = refusalOf(RequestStatus.RESOURCE_EXHAUSTED, request);
            assertTrue(refused.isSafeToRetry());
            assertMentions("limit=4194304 bytes", refused);
        }
        held.forEach(request -> request.cancel(false));
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-25")
    void shouldSendNoRequestToPeersThatKnowNone() {
        CompletableFuture<Peer> connected =
                clientNode().connect(server().listener().address());
        progressUntil(() -> connected.isDone() && server().events().count(Event.Kind.CONNECTED) == 1, "the connection");
        CompletableFuture<Message> request = get(connected).request(new byte[1], TAG, LONG);
        progressUntil(request::isDone, "the request to fail");
        RequestException refused = refusalOf(RequestStatus.UNSUPPORTED, request);
        assertTrue(refused.isSafeToRetry());
        progressUntilIdle();
        assertFalse(server().worker().probe(0, 0, server().worker().newMessageInfo()), "nothing is sent");
    }

    @Test
    @Semantics("Q-26")
    void shouldEndTheConnectionOfAPeerThatSendsMalformedRequests() {
        Peers others = connectNodes();
        serverNode().serve(TAG, request -> request.reply(request.segment()));
        serverNode().serve(TAG + 1, request -> {});
        for (Lie lie : lies()) {
            Endpoint raw = connectFromRaw();
            Peer victim = nextAccepted();
            End end = new End(client(), raw);
            CompletableFuture<Message> received = victim.receive(5);
            lie.frames().forEach(frame -> post(end, frame));
            progressUntil(received::isDone, "the end of a peer: " + lie.what());
            assertEquals(Reason.PROTOCOL_VIOLATION, failureOf(received).reason());
            assertMentions("frame of a request is malformed: " + lie.what(), failureOf(received));
            progressUntil(() -> client().events().ended(raw), "the end of the connection");
        }
        assertEquals("ok", textOf(others.client().request(bytes("ok"), TAG, LONG)));
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-26")
    void shouldEndTheConnectionOfAPeerThatSendsMalformedAnswers() {
        int[] requests = new int[1];
        ((LayerWorker) client().worker()).registerLayer(HANDLER, _ -> requests[0]++);
        for (Lie lie : List.of(
                new Lie("an answer to no request", new Frame(REPLY, 5 << 6, new byte[3])),
                new Lie("an answer to no request", new Frame(REPLY, 0xFFFF << 6, new byte[0])),
                new Lie("an answer to no request", new Frame(REPLY, 1, new byte[0]), new Frame(REPLY, 1, new byte[0])),
                new Lie("an answer to no request", new Frame(REPLY, 2, new byte[8])),
                new Lie(
                        "contextLength=3 in a reply of length=2",
                        new Frame(words(3L << 48 | (long) REPLY << KIND_SHIFT | 1), new byte[2])),
                new Lie(
                        "contextLength=65535",
                        new Frame(words(0xFFFFL << 48 | (long) REPLY << KIND_SHIFT | 1), new byte[66_000])),
                new Lie(
                        "message context is malformed",
                        new Frame(words(2L << 48 | (long) REPLY << KIND_SHIFT | 1), new byte[2])),
                new Lie("length of a refusal=0", new Frame(REFUSAL, 1, new byte[0])),
                new Lie("length of a refusal=3", new Frame(REFUSAL, 1, new byte[] {1, 0, 0})),
                new Lie("length of a refusal=5000", new Frame(REFUSAL, 1, new byte[5000])),
                new Lie("status=0", new Frame(REFUSAL, 1, new byte[] {0, 0, 0, 0})),
                new Lie("status=100", new Frame(REFUSAL, 1, new byte[] {100, 0, 0, 0})),
                new Lie("flags=2", new Frame(REFUSAL, 1, new byte[] {1, 2, 0, 0})),
                new Lie("textLength=1", new Frame(REFUSAL, 1, new byte[] {1, 0, 1, 0})),
                new Lie("textLength=-1", new Frame(REFUSAL, 1, new byte[] {1, 0, -1, -1, 'a'})),
                new Lie("text is not UTF-8", new Frame(REFUSAL, 1, new byte[] {1, 0, 1, 0, (byte) 0xFF})),
                new Lie("text with control characters", new Frame(REFUSAL, 1, new byte[] {1, 0, 1, 0, 7})))) {
            Endpoint raw = connectFromRaw();
            Peer victim = nextAccepted();
            CompletableFuture<Message> request = victim.request(bytes("?"), TAG, LONG);
            End end = new End(client(), raw);
            progressUntil(() -> requests[0] > 0, "the request");
            requests[0] = 0;
            lie.frames().forEach(frame -> post(end, frame));
            progressUntil(() -> request.isDone() && client().events().ended(raw), "the end of a peer: " + lie.what());
            until(() -> victim.failure().isPresent(), "the failure");
            assertMentions(
                    lie.what().contains(" is malformed")
                            ? lie.what()
                            : "frame of a request is malformed: " + lie.what(),
                    victim.failure().orElseThrow());
        }
        assertNothingLeft(serverNode());
    }

    private void post(End end, Frame frame) {
        Endpoint endpoint = end.endpoint();
        long posted = endpoint.sendActive(HANDLER, segment(frame.header()), segment(frame.payload()), end.recorder());
        end.recorder().posted(endpoint, posted);
    }

    private record Frame(MemorySegment header, MemorySegment payload) {
        Frame(int kind, int id, byte[] payload) {
            this(words((long) kind << KIND_SHIFT | id), payload);
        }

        Frame(byte[] header, byte[] payload) {
            this(MemorySegment.ofArray(header), MemorySegment.ofArray(payload));
        }
    }

    private record Lie(String what, List<Frame> frames) {
        Lie(String what, Frame... frames) {
            this(what, List.of(frames));
        }
    }

    private static List<Lie> lies() {
        byte[] none = new byte[0];
        return List.of(
                new Lie("kind or headerLength=0", new Frame(none, none)),
                new Lie("kind or headerLength=7", new Frame(new byte[7], none)),
                new Lie("kind or headerLength=8", new Frame(0, 0, none)),
                new Lie("kind or headerLength=8", new Frame(6, 0, none)),
                new Lie("kind or headerLength=24", new Frame(words((long) REPLY << KIND_SHIFT, 0, 0), none)),
                new Lie("kind or headerLength=128", new Frame(new byte[128], none)),
                new Lie("timeLeft=0", request(0, 0, 0)),
                new Lie("timeLeft=-1", request(0, 0, -1)),
                new Lie("timeLeft=" + (DAY_NS + 1), request(0, 0, DAY_NS + 1)),
                new Lie("contextLength=1", request(0, 1, DAY_NS)),
                new Lie("contextLength=65535", request(0, 65_535, DAY_NS)),
                new Lie("a request in the place of one", request(9 << 6, 0, DAY_NS), request(9 << 6, 0, DAY_NS)),
                new Lie("length of a cancel=1", new Frame(CANCEL, 0, new byte[1])),
                new Lie("a notice of leaving", new Frame(LEAVE, 1, none)),
                new Lie("a notice of leaving", new Frame(LEAVE, 0, new byte[1])),
                new Lie("a notice of leaving", new Frame(LEAVE, 0, none), new Frame(LEAVE, 0, none)),
                new Lie("a confirmation of leaving", new Frame(LEAVE_CONFIRMED, 0, none)),
                new Lie("an answer to no request", new Frame(REPLY, 0, new byte[1])));
    }

    /** A request without payload for a service that does not answer. */
    private static Frame request(int id, int contextLength, long timeLeftNs) {
        return new Frame(words(id, (TAG + 1) | (long) contextLength << 48, timeLeftNs), new byte[0]);
    }

    private static byte[] words(long... words) {
        ByteBuffer bytes = ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(words);
        return bytes.array();
    }

    private Endpoint connectFromRaw() {
        client().events().features(KNOWS_REQUESTS);
        Endpoint endpoint = client().connect(address());
        progressUntil(
                () -> endpoint.path().isPresent() && client().events().peerFeatures(endpoint) >= 0, "the connection");
        return endpoint;
    }

    private MemorySegment segment(MemorySegment bytes) {
        return buffer(bytes.byteSize()).copyFrom(bytes);
    }
}
