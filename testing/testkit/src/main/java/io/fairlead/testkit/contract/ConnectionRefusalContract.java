package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.Authorizer;
import io.fairlead.ConnectionRequest;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.config.ConfigKeys;
import io.fairlead.testkit.internal.RawPeer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connection requests that end without an endpoint: rejected, not answered, given up. */
public class ConnectionRefusalContract extends ConnectionRequestCases {
    /** Creates the suite. */
    protected ConnectionRefusalContract() {}

    @Test
    @Semantics("C-64")
    void shouldAnswerARequestOnce() {
        Side second = newSide("second", server());
        Endpoint connecting = client().connect(listen().address());
        ConnectionRequest request = awaitRequest();
        server().worker().accept(request, server().events());

        IllegalStateException again =
                assertThrows(IllegalStateException.class, () -> second.worker().accept(request, second.events()));
        request.reject();

        assertMentions("answer=accepted", again);
        awaitState(connecting, EndpointState.CONNECTED);
        request.reject();
        progressUntilIdle();
        assertEquals(EndpointState.CONNECTED, connecting.state());
        assertEquals(List.of(), second.events().all());
    }

    @Test
    @Semantics("C-64")
    void shouldNotAcceptWhatIsRejected() {
        Endpoint connecting = client().connect(listen().address());
        ConnectionRequest request = awaitRequest();
        request.reject();
        request.reject();

        IllegalStateException late = assertThrows(
                IllegalStateException.class, () -> server().worker().accept(request, server().events()));

        assertMentions("answer=rejected", late);
        assertFails(Reason.REFUSED, connecting);
        assertEquals(List.of(), server().events().all());
    }

    @Test
    @Semantics("C-65")
    void shouldTellAConnectorThatItIsRejected() throws InterruptedException {
        Listener listener = listen();
        Pair served = handedOver(listener, server());
        Endpoint rejected = client().connect(listener.address());
        ConnectionRequest request = awaitRequest();

        Thread another = Thread.ofPlatform().start(request::reject);
        another.join(Duration.ofSeconds(60));

        FairleadException failure = assertFails(Reason.REFUSED, rejected);
        assertMentions("rejected the connection request", failure);
        assertEquals(FairleadException.Advice.GIVE_UP, failure.advice());
        assertServes(served);
        assertServes(handedOver(listener, server()));
    }

    @Test
    @Semantics("C-65")
    void shouldTellAConnectorWhyItIsRejected() {
        Endpoint rejected = client().connect(listen().address());
        awaitRequest().reject(Reason.LIMIT_REACHED, "the house is full");

        FairleadException failure = assertFails(Reason.LIMIT_REACHED, rejected);

        assertMentions("the house is full", failure);
        assertEquals(FairleadException.Advice.RETRY, failure.advice());
    }

    @Test
    @Semantics("C-66")
    void shouldEndARequestThatNobodyAnswers() {
        client();
        configure(ConfigKeys.CONNECT_TIMEOUT, Duration.ofMillis(200));
        Listener listener = listen();
        Endpoint connecting = client().connect(listener.address());
        ConnectionRequest request = awaitRequest();

        FairleadException failure = assertFails(Reason.TIMED_OUT, connecting);

        assertMentions("no worker accepted the connection request: connect.timeout=200 ms", failure);
        FairleadException late =
                assertThrows(FairleadException.class, () -> server().worker().accept(request, server().events()));
        assertEquals(Reason.TIMED_OUT, late.reason());
        assertMentions("connect.timeout=200 ms", late);
        assertEquals(List.of(), server().events().all());
    }

    @Test
    @Semantics("C-68")
    void shouldEndTheRequestsOfAListenerThatCloses() {
        Listener listener = listen();
        Endpoint first = client().connect(listener.address());
        server().worker().accept(awaitRequest(), server().events());
        Endpoint second = client().connect(listener.address());
        ConnectionRequest unanswered = awaitRequest();

        listener.close();

        FairleadException late =
                assertThrows(FairleadException.class, () -> server().worker().accept(unanswered, server().events()));
        assertEquals(Reason.CLOSED, late.reason());
        assertMentions("listener was closed", late);
        unanswered.reject();
        assertMentions("the listener was closed", assertFails(Reason.CONNECTION_REFUSED, second));
        awaitState(first, EndpointState.CONNECTED);
    }

    @Test
    @Semantics("C-68")
    void shouldHangUpWhenTheListenersWorkerCloses() {
        Side listening = newSide("listening", server());
        Listener listener = listening.worker().listen(loopback(), requests::add);
        Endpoint first = client().connect(listener.address());
        ConnectionRequest answered = awaitRequest();
        Endpoint lost = client().connect(listener.address());
        ConnectionRequest unanswered = awaitRequest();
        Endpoint rejected = client().connect(listener.address());
        ConnectionRequest refused = awaitRequest();
        server().worker().accept(answered, server().events());
        refused.reject();

        listening.close();

        assertFails(Reason.PEER_LOST, lost);
        assertFails(Reason.PEER_LOST, rejected);
        FairleadException late =
                assertThrows(FairleadException.class, () -> server().worker().accept(unanswered, server().events()));
        assertEquals(Reason.CLOSED, late.reason());
        unanswered.reject();
        awaitState(first, EndpointState.CONNECTED);
    }

    @Test
    @Semantics("C-69")
    void shouldHangUpWhenTheAcceptingWorkerCloses() {
        Side second = newSide("second", server());
        Listener listener = listen();
        Endpoint connecting = client().connect(listener.address());
        Endpoint accepted = second.worker().accept(awaitRequest(), second.events());

        second.close();

        assertEquals(EndpointState.CLOSED, accepted.state());
        assertEquals(1, second.events().count(Event.Kind.CLOSED));
        assertFails(Reason.PEER_LOST, connecting);
        Endpoint later = client().connect(listener.address());
        ConnectionRequest request = awaitRequest();
        assertThrows(IllegalStateException.class, () -> second.worker().accept(request, second.events()));
        server().worker().accept(request, server().events());
        awaitState(later, EndpointState.CONNECTED);
    }

    @Test
    @Semantics("C-70")
    void shouldRejectWhereTheHandlerThrows() {
        Listener listener = server().worker().listen(loopback(), request -> {
            if (requests.isEmpty()) {
                requests.add(request);
                throw new IllegalStateException("thrown by the case");
            }
            server().worker().accept(request, server().events());
            throw new IllegalStateException("thrown by the case after accepting");
        });

        Endpoint rejected = client().connect(listener.address());

        assertMentions("rejected the connection request", assertFails(Reason.REFUSED, rejected));
        assertServes(connected(listener, server()));
    }

    @Test
    @Semantics("C-72")
    void shouldGiveUpWhatIsConnecting() {
        Side second = newSide("second", server());
        Listener listener = listen();
        Endpoint first = client().connect(listener.address());
        Endpoint closed = second.worker().accept(awaitRequest(), second.events());
        closed.startClose();
        Endpoint other = client().connect(listener.address());
        Endpoint aborted = second.worker().accept(awaitRequest(), second.events());
        aborted.abort();

        assertEquals(EndpointState.CLOSED, aborted.state());
        awaitState(closed, EndpointState.CLOSED);
        assertFails(Reason.PEER_LOST, first);
        assertFails(Reason.PEER_LOST, other);
        assertEquals(
                List.of(Event.Kind.CLOSED, Event.Kind.CLOSED),
                second.events().all().stream().map(Event::kind).toList());
        assertServes(handedOver(listener, second));
    }

    @Test
    @Semantics("C-73")
    void shouldFailTheEndpointOfAPeerThatDoesNotGetThrough() throws IOException {
        Listener listener = listen();
        try (RawPeer stranger = RawPeer.connect(listener.address())) {
            Endpoint accepted = server().worker().accept(awaitRequest(), server().events());
            stranger.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            awaitState(accepted, EndpointState.FAILED);
        }
        ConnectionRequest request;
        try (RawPeer _ = RawPeer.connect(listener.address())) {
            request = awaitRequest();
        }
        Endpoint vanished = server().worker().accept(request, server().events());
        awaitState(vanished, EndpointState.FAILED);
        assertEquals(Reason.PEER_LOST, vanished.failure().orElseThrow().reason());
        assertEquals(2, server().events().count(Event.Kind.FAILED));
        assertServes(handedOver(listener, server()));
    }

    @Test
    @Semantics("C-73")
    void shouldFailTheEndpointOfAPeerThatIsNotLetIn() {
        authorize((_, _) -> Authorizer.Verdict.refused("nobody connects here"));
        Listener listener = listen();
        Endpoint connecting = client().connect(listener.address());
        Endpoint accepted = server().worker().accept(awaitRequest(), server().events());

        assertFails(Reason.REFUSED, connecting);
        awaitState(accepted, EndpointState.FAILED);

        FairleadException failure = accepted.failure().orElseThrow();
        assertEquals(Reason.REFUSED, failure.reason());
        assertMentions("nobody connects here", failure);
        assertEquals(1, server().events().all().size());
    }
}
