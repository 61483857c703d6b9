package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.ConnectionRequest;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What the suites of connection requests share: a listener that keeps its requests. */
abstract class ConnectionRequestCases extends TransportContract {
    final ConcurrentLinkedQueue<ConnectionRequest> requests = new ConcurrentLinkedQueue<>();

    static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** A listener of the server's worker whose requests are kept. */
    final Listener listen() {
        return server().worker().listen(loopback(), requests::add);
    }

    final ConnectionRequest awaitRequest() {
        progressUntil(() -> !requests.isEmpty(), "a connection request");
        return requests.remove();
    }

    final void awaitState(Endpoint endpoint, EndpointState state) {
        progressUntil(() -> endpoint.state() == state, "endpoint " + endpoint.id() + " to be " + state);
    }

    final FairleadException assertFails(Reason reason, Endpoint endpoint) {
        awaitState(endpoint, EndpointState.FAILED);
        FairleadException failure = endpoint.failure().orElseThrow();
        assertEquals(reason, failure.reason(), failure::getMessage);
        return failure;
    }

    /** Connects the client to a listener whose handler answers by itself. */
    final Pair connected(Listener listener, Side acceptor) {
        int before = acceptor.events().count(Event.Kind.CONNECTED);
        Endpoint connecting = client().connect(listener.address());
        awaitState(connecting, EndpointState.CONNECTED);
        progressUntil(() -> acceptor.events().count(Event.Kind.CONNECTED) > before, "the other end to be connected");
        return new Pair(new End(acceptor, acceptor.events().lastConnected()), new End(client(), connecting));
    }

    /** Connects the client to a listener, whose request a worker of this thread accepts. */
    final Pair handedOver(Listener listener, Side acceptor) {
        Endpoint connecting = client().connect(listener.address());
        Endpoint accepted = acceptor.worker().accept(awaitRequest(), acceptor.events());
        awaitState(connecting, EndpointState.CONNECTED);
        awaitState(accepted, EndpointState.CONNECTED);
        return new Pair(new End(acceptor, accepted), new End(client(), connecting));
    }

    final void assertServes(Pair pair) {
        assertSends(pair.client(), pair.server(), 1);
        assertSends(pair.server(), pair.client(), 2);
    }

    final void assertSends(End from, End to, long tag) {
        MemorySegment target = buffer(48);
        long received = to.receive(target, tag);
        completeOk(from, from.send(pattern(48, tag), tag));
        completeOk(to, received);
        Pattern.verify(target, 0, 48, tag);
    }
}
