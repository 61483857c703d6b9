package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Path;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.testkit.contract.UnreachableProvider.Step;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of a connection whose best path was chosen and cannot be set up. */
public class NextPathContract extends TransportContract {
    /** Creates the suite. */
    protected NextPathContract() {}

    @Test
    @Semantics("C-96")
    void shouldTakeTheNextPathWhereTheConnectorCannotSetUpTheBest() {
        for (Step step : EnumSet.complementOf(EnumSet.of(Step.NEVER))) {
            assertTakesNextPath(new UnreachableProvider(Step.NEVER), new UnreachableProvider(step), "connector");
        }
    }

    @Test
    @Semantics("C-96")
    void shouldTakeTheNextPathWhereTheListenerCannotSetUpTheBest() {
        // The connector has finished when the listener takes its data in.
        for (Step step : EnumSet.complementOf(EnumSet.of(Step.NEVER, Step.WIRE_UP))) {
            assertTakesNextPath(new UnreachableProvider(step), new UnreachableProvider(Step.NEVER), "listener");
        }
    }

    @Test
    @Semantics("C-96")
    void shouldTakeTheNextPathWhereBothSidesFailAtOnce() {
        UnreachableProvider atServer = new UnreachableProvider(Step.BEGIN);
        UnreachableProvider atClient = new UnreachableProvider(Step.BEGIN);
        Pair pair = connect(newClient(atClient), newServer(atServer));
        assertEquals(transport().name(), path(pair.client()).transport());
        assertEquals(transport().name(), path(pair.server()).transport());
        assertCarries(pair);
        assertEquals(0, atServer.open());
        assertEquals(0, atClient.open());
    }

    @Test
    @Semantics("C-97")
    void shouldTakeTheNextPathWhereTheBestDoesNotConnectInTime() {
        configure(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(8));
        UnreachableProvider atServer = new UnreachableProvider(Step.NEVER);
        UnreachableProvider atClient = new UnreachableProvider(Step.NEVER);
        Pair pair = connect(newClient(atClient), newServer(atServer));
        assertNextPath(pair.server(), "connector", "not connected within three quarters of connect.timeout=8000 ms");
        assertNextPath(pair.client(), "connector", "not connected within three quarters of connect.timeout=8000 ms");
        assertCarries(pair);
        assertEquals(0, atServer.open());
        assertEquals(0, atClient.open());
    }

    @Test
    @Semantics("C-98")
    void shouldFailForTheCauseWhereNoOtherPathIsAllowed() {
        for (Step step : List.of(Step.CONNECT, Step.WIRE_UP, Step.BEGIN)) {
            assertFailsForTheCause(step);
        }
    }

    private void assertFailsForTheCause(Step step) {
        Side server = newServer(new UnreachableProvider(Step.NEVER));
        Side client = newClient(new UnreachableProvider(step));
        Endpoint endpoint = client.connect(server, PathPolicy.named(UnreachableProvider.NAME));
        progressUntil(() -> client.events().ended(endpoint), "the connection to fail");
        FairleadException failure = endpoint.failure().orElseThrow();
        assertEquals(Reason.TRANSPORT, failure.reason());
        assertTrue(String.valueOf(failure.getMessage()).contains(UnreachableProvider.CAUSE), failure::getMessage);
    }

    private void assertTakesNextPath(UnreachableProvider atServer, UnreachableProvider atClient, String side) {
        Side server = newServer(atServer);
        Side client = newClient(atClient);
        Pair pair = connect(client, server);
        assertNextPath(pair.server(), side, UnreachableProvider.CAUSE);
        assertNextPath(pair.client(), side, UnreachableProvider.CAUSE);
        assertCarries(pair);
        assertEquals(0, atServer.open(), "endpoints that the listener's transport has open");
        assertEquals(0, atClient.open(), "endpoints that the connector's transport has open");
        assertEquals(1, server.events().all().size(), server.events().all()::toString);
        assertEquals(1, client.events().all().size(), client.events().all()::toString);
        discard(client);
        discard(server);
    }

    private Side newServer(UnreachableProvider unreachable) {
        configure(ConfigKeys.TRANSPORTS, transport().name() + "," + UnreachableProvider.NAME);
        return newSide("server", List.of(transport().provider(), unreachable));
    }

    private Side newClient(UnreachableProvider unreachable) {
        configure(ConfigKeys.TRANSPORTS, transport().name() + "," + UnreachableProvider.NAME);
        return newSide("client", List.of(transport().provider(), unreachable));
    }

    private static Path path(End end) {
        return end.endpoint().path().orElseThrow();
    }

    private void assertNextPath(End end, String side, String cause) {
        Path path = path(end);
        assertEquals(EndpointState.CONNECTED, end.endpoint().state());
        assertEquals(transport().name(), path.transport(), path::toString);
        String expected = UnreachableProvider.NAME + ": the " + side + " cannot set it up: ";
        assertTrue(path.reason().contains(expected) && path.reason().contains(cause), path::reason);
    }

    private void assertCarries(Pair pair) {
        long there = pair.server().receive(buffer(1000), 5);
        pair.client().send(pattern(1000, 5), 5);
        completeOk(pair.server(), there);
        long back = pair.client().receive(buffer(1000), 6);
        pair.server().send(pattern(1000, 6), 6);
        completeOk(pair.client(), back);
        progressUntilIdle();
    }
}
