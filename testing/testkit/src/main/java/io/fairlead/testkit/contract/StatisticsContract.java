package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MemoryRegion;
import io.fairlead.Path;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.OperationKind;
import io.fairlead.statistics.Statistics;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The statistics of a context, as a metrics exporter reads them. */
public class StatisticsContract extends TransportContract {
    /** Creates the suite; JUnit does. */
    protected StatisticsContract() {}

    private String name() {
        return transport().name();
    }

    @Test
    @Semantics("S-01")
    void shouldCountOperationsByTransportKindAndStatus() {
        Pair pair = connect();
        MemorySegment target = buffer(64);
        for (int i = 0; i < 5; i++) {
            long received = pair.server().receive(target, 1);
            pair.client().send(buffer(10), 1);
            completeOk(pair.server(), received);
        }
        completeAll(client());
        long withdrawn = pair.server().receive(target, 2);
        server().worker().cancel(withdrawn);
        progressUntilIdle();

        Statistics sent = client().context().statistics();
        Statistics received = server().context().statistics();
        assertEquals(List.of(Statistics.NO_TRANSPORT, name()), sent.transports());
        assertEquals(5, sent.operations(name(), OperationKind.SEND, Status.OK));
        assertEquals(50, sent.bytes(name(), OperationKind.SEND));
        assertEquals(5, received.operations(name(), OperationKind.RECEIVE, Status.OK));
        assertEquals(50, received.bytes(name(), OperationKind.RECEIVE));
        assertEquals(1, received.operations(name(), OperationKind.RECEIVE, Status.CANCELLED));
        assertEquals(0, sent.operations(name(), OperationKind.RECEIVE, Status.OK));
        assertEquals(5, sent.value(Counter.MESSAGES_SENT));
        assertEquals(1, received.value(Counter.OPERATIONS_FAILED));
    }

    @Test
    @Semantics("S-02")
    void shouldKeepWhatClosedWorkersCounted() {
        Pair pair = connect();
        long received = pair.server().receive(buffer(8), 1);
        pair.client().send(buffer(8), 1);
        completeOk(pair.server(), received);
        completeAll(client());
        Statistics statistics = client().context().statistics();
        assertEquals(1, statistics.value(Counter.WORKERS));
        client().worker().close();
        assertEquals(1, statistics.operations(name(), OperationKind.SEND, Status.OK));
        assertEquals(1, statistics.value(Counter.ENDPOINTS_CONNECTED));
        assertEquals(0, statistics.value(Counter.WORKERS));
        assertEquals(0, statistics.endpoints(name(), EndpointState.CONNECTED));
        assertEquals(0, statistics.value(Counter.OPERATIONS_IN_FLIGHT));
    }

    @Test
    @Semantics("S-03")
    void shouldTimeOneOperationInAsManyAsConfigured() {
        configure(ConfigKeys.LATENCY_SAMPLING, 1);
        Pair pair = connect();
        for (int i = 0; i < 7; i++) {
            long received = pair.server().receive(buffer(8), 1);
            pair.client().send(buffer(8), 1);
            completeOk(pair.server(), received);
        }
        completeAll(client());
        Statistics statistics = client().context().statistics();
        assertEquals(7, statistics.latency(name(), OperationKind.SEND).count());
        assertTrue(statistics.latency(name(), OperationKind.SEND).sumNs() > 0);
        assertEquals(
                7,
                server().context()
                        .statistics()
                        .latency(name(), OperationKind.RECEIVE)
                        .count());
    }

    @Test
    @Semantics("S-04")
    void shouldCountEndpointsByStateAndPath() {
        Pair first = connect();
        connect();
        Path path = first.client().endpoint().path().orElseThrow();
        for (Side side : List.of(client(), server())) {
            Statistics statistics = side.context().statistics();
            assertEquals(2, statistics.endpoints(name(), EndpointState.CONNECTED), side::toString);
            assertEquals(2, statistics.paths(name(), path.pathClass(), path.cause()), side::toString);
            assertEquals(0, statistics.endpoints(Statistics.NO_TRANSPORT, EndpointState.CONNECTING));
        }
        assertEquals(
                path.cause(), first.server().endpoint().path().orElseThrow().cause());

        first.client().endpoint().close();
        progressUntil(() -> server().events().ended(first.server().endpoint()), "the server to see the goodbye");
        for (Side side : List.of(client(), server())) {
            Statistics statistics = side.context().statistics();
            assertEquals(1, statistics.endpoints(name(), EndpointState.CONNECTED), side::toString);
            assertEquals(1, statistics.paths(name(), path.pathClass(), path.cause()), side::toString);
            assertEquals(0, statistics.endpoints(name(), EndpointState.CLOSING), side::toString);
        }
    }

    @Test
    @Semantics("S-05")
    void shouldCountFailuresByCause() {
        Pair pair = connect();
        pair.server().endpoint().abort();
        progressUntil(() -> client().events().ended(pair.client().endpoint()), "the client to lose its peer");
        Statistics statistics = client().context().statistics();
        assertEquals(1, statistics.peerFailures(Reason.PEER_LOST));
        assertEquals(0, statistics.connectFailures(Reason.PEER_LOST));
        assertEquals(0, statistics.endpoints(name(), EndpointState.CONNECTED));

        server().listener().close();
        Endpoint refused = client().connect(server());
        progressUntil(() -> client().events().ended(refused), "the attempt to fail");
        assertEquals(
                1, statistics.connectFailures(refused.failure().orElseThrow().reason()));
        assertEquals(0, statistics.endpoints(Statistics.NO_TRANSPORT, EndpointState.CONNECTING));
    }

    @Test
    @Semantics("S-06")
    void shouldTellWhatWaitsAndWhatIsSentOnCredit() {
        Pair pair = connect();
        Statistics receiver = server().context().statistics();
        Statistics sender = client().context().statistics();
        long posted = pair.server().receive(buffer(100), 1);
        progressUntil(() -> receiver.value(Counter.RECEIVES_POSTED) == 1, "the receive to show");
        assertEquals(100, receiver.value(Counter.RECEIVES_POSTED_BYTES));
        pair.client().send(buffer(100), 1);
        completeOk(pair.server(), posted);
        progressUntil(() -> receiver.value(Counter.RECEIVES_POSTED) == 0, "the receive to have gone");
        assertEquals(0, receiver.value(Counter.RECEIVES_POSTED_BYTES));
        completeAll(client());
        progressUntil(() -> sender.value(Counter.CREDITS_OUTSTANDING) >= 100, "the credits to show");
        long taken = server().context().config().value(ConfigKeys.CREDIT_BYTES);
        assertEquals(taken, sender.value(Counter.CREDITS_LIMIT));
    }

    @Test
    @Semantics("S-07")
    void shouldCountRegions() {
        Statistics statistics = server().context().statistics();
        MemoryRegion region = server().context().allocate(12_288, EnumSet.of(AccessRight.READ));
        assertEquals(1, statistics.value(Counter.REGIONS));
        assertEquals(region.length(), statistics.value(Counter.REGION_BYTES));
        region.close();
        region.close();
        assertEquals(0, statistics.value(Counter.REGIONS));
        assertEquals(0, statistics.value(Counter.REGION_BYTES));
    }

    @Test
    @Semantics("S-08")
    void shouldTimeTheControlChannel() {
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofSeconds(2));
        connect();
        Statistics statistics = client().context().statistics();
        progressUntil(() -> statistics.controlRoundTrip(name()).count() > 0, "a ping to be answered");
        assertTrue(statistics.controlRoundTrip(name()).sumNs() > 0);
    }
}
