package io.fairlead.internal.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.Path;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PeerIdentity;
import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.OperationKind;
import io.fairlead.statistics.Statistics;
import java.util.List;
import org.junit.jupiter.api.Test;

final class IdentityStatisticsTest {
    private static final Path PATH =
            new Path("tcp", PathClass.TCP, "lo", List.of(), PathCause.ONLY_SHARED, "nothing else is here");
    private static final int SEND = OperationKind.SEND.ordinal();
    private static final PeerIdentity FEED = PeerIdentity.named("CN=feed");
    private static final PeerIdentity CACHE = PeerIdentity.named("CN=cache");
    private static final PeerIdentity LATE = PeerIdentity.named("CN=late");

    private final ContextStatistics context = new ContextStatistics(List.of("tcp"), 2);
    private final WorkerStatistics worker = open();

    private WorkerStatistics open() {
        WorkerStatistics opened = context.newWorker(0, () -> 0);
        context.open(opened);
        return opened;
    }

    private static EndpointStatistics connect(WorkerStatistics worker, PeerIdentity peer) {
        EndpointStatistics endpoint = new EndpointStatistics(worker);
        for (int i = 0; i < 3; i++) {
            endpoint.beginOperation();
        }
        endpoint.markConnected(PATH, peer);
        return endpoint;
    }

    private static void send(EndpointStatistics endpoint, long length) {
        endpoint.countOperation(SEND, Status.OK, length);
    }

    @Test
    void shouldAddUpTheEndpointsOfAnIdentityOnAllWorkers() {
        send(connect(worker, FEED), 100);
        send(connect(open(), FEED), 20);
        send(connect(worker, CACHE), 3);

        assertEquals(List.of("anonymous", Statistics.OTHER_IDENTITIES, "CN=feed", "CN=cache"), context.identities());
        assertEquals(120, context.value(Counter.BYTES_SENT, "CN=feed"));
        assertEquals(2, context.value(Counter.MESSAGES_SENT, "CN=feed"));
        assertEquals(2, context.value(Counter.ENDPOINTS_CONNECTED, "CN=feed"));
        assertEquals(6, context.value(Counter.OPERATIONS_IN_FLIGHT, "CN=feed"));
        assertEquals(2, context.connectedEndpoints("CN=feed"));
        assertEquals(3, context.value(Counter.BYTES_SENT, "CN=cache"));
        assertEquals(0, context.value(Counter.BYTES_SENT, "anonymous"));
    }

    @Test
    void shouldKeepWhatEndpointsOfAnIdentityHaveCounted() {
        EndpointStatistics first = connect(worker, FEED);
        send(first, 100);
        first.markClosing();
        assertEquals(0, context.connectedEndpoints("CN=feed"));
        send(first, 1);
        first.markEnded();
        first.foldCounters();
        first.foldCounters();
        EndpointStatistics second = connect(worker, FEED);
        send(second, 20);

        assertEquals(121, context.value(Counter.BYTES_SENT, "CN=feed"));
        assertEquals(3, context.value(Counter.OPERATIONS_IN_FLIGHT, "CN=feed"));
        second.markEnded();
        context.close(worker);
        assertEquals(121, context.value(Counter.BYTES_SENT, "CN=feed"));
        assertEquals(0, context.value(Counter.OPERATIONS_IN_FLIGHT, "CN=feed"), "a set of a closed worker");
        assertEquals(2, context.value(Counter.ENDPOINTS_CONNECTED, "CN=feed"));
        assertEquals(0, context.connectedEndpoints("CN=feed"));
    }

    @Test
    void shouldCountIdentitiesBeyondTheLimitAsOne() {
        connect(worker, FEED);
        connect(worker, CACHE);
        send(connect(worker, LATE), 7);
        send(connect(worker, PeerIdentity.named("CN=later")), 8);
        send(connect(worker, FEED), 9);

        assertEquals(4, context.identities().size());
        assertEquals(15, context.value(Counter.BYTES_SENT, Statistics.OTHER_IDENTITIES));
        assertEquals(2, context.connectedEndpoints(Statistics.OTHER_IDENTITIES));
        assertEquals(9, context.value(Counter.BYTES_SENT, "CN=feed"));
        assertThrows(IllegalArgumentException.class, () -> context.value(Counter.BYTES_SENT, "CN=late"));
    }

    /** An authority may sign any name. */
    @Test
    void shouldNotTakePeersForAnonymousThatAreNamedSo() {
        send(connect(worker, PeerIdentity.ANONYMOUS), 1);
        send(connect(worker, new PeerIdentity("anonymous", List.of("feed.example.org"), List.of())), 2);
        send(connect(worker, PeerIdentity.named("other")), 4);

        assertEquals(1, context.value(Counter.BYTES_SENT, "anonymous"));
        assertEquals(6, context.value(Counter.BYTES_SENT, Statistics.OTHER_IDENTITIES));
    }
}
