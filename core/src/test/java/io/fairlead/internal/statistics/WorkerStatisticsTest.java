package io.fairlead.internal.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.EndpointState;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Path;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PeerIdentity;
import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.DurationHistogram;
import io.fairlead.statistics.OperationKind;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class WorkerStatisticsTest {
    private static final int TCP = 1;
    private static final int UCX = 2;
    private static final int IN_FLIGHT = 3;

    private final ContextStatistics context = new ContextStatistics(List.of("tcp", "ucx"), 2);

    @Test
    void shouldGiveEachFigureAPlaceOfItsOwn() {
        FigureLayout layout = new FigureLayout(List.of("tcp", "ucx"));
        Set<Integer> places = new HashSet<>();
        int expected = Counter.values().length;
        for (int i = 0; i < expected; i++) {
            places.add(i);
        }
        for (int transport = 0; transport < 3; transport++) {
            for (int kind = 0; kind < OperationKind.values().length; kind++) {
                for (Status status : Status.values()) {
                    places.add(layout.operation(transport, kind, status));
                    expected++;
                }
                places.add(layout.bytes(transport, kind));
                expected++;
                for (int bucket = 0; bucket <= DurationHistogram.BUCKETS; bucket++) {
                    places.add(layout.latency(transport, kind) + bucket);
                    expected++;
                }
            }
            for (int bucket = 0; bucket <= DurationHistogram.BUCKETS; bucket++) {
                places.add(layout.roundTrip(transport) + bucket);
                expected++;
            }
            for (EndpointState state : EndpointState.values()) {
                places.add(layout.state(transport, state));
                expected++;
            }
            for (PathClass pathClass : PathClass.values()) {
                for (PathCause cause : PathCause.values()) {
                    places.add(layout.path(transport, pathClass, cause));
                    expected++;
                }
            }
        }
        for (Reason reason : Reason.values()) {
            places.addAll(List.of(
                    layout.refusal(reason),
                    layout.connectFailure(reason),
                    layout.peerFailure(reason),
                    layout.detection(reason)));
            expected += 4;
        }
        assertEquals(expected, places.size());
        assertEquals(expected, layout.size());
        assertTrue(places.stream().allMatch(place -> place >= 0 && place < layout.size()));
    }

    @Test
    void shouldCountOperationsByTransportKindAndStatus() {
        WorkerStatistics worker = open(0);
        CounterSet overTcp = endpoint(worker, TCP);
        CounterSet overUcx = endpoint(worker, UCX);
        end(overTcp, OperationKind.SEND, Status.OK, 100);
        end(overUcx, OperationKind.SEND, Status.OK, 10);
        end(overUcx, OperationKind.SEND, Status.PEER_FAILED, 7);
        worker.countOperation(OperationKind.RECEIVE.ordinal(), Status.CANCELLED);
        end(overUcx, OperationKind.ATOMIC, Status.OK, 8);

        assertEquals(1, context.operations("tcp", OperationKind.SEND, Status.OK));
        assertEquals(1, context.operations("ucx", OperationKind.SEND, Status.OK));
        assertEquals(1, context.operations("ucx", OperationKind.SEND, Status.PEER_FAILED));
        assertEquals(1, context.operations("none", OperationKind.RECEIVE, Status.CANCELLED));
        assertEquals(10, context.bytes("ucx", OperationKind.SEND), "bytes of failed operations are not counted");
        assertEquals(0, context.bytes("ucx", OperationKind.ATOMIC), "an atomic has no payload");
        assertEquals(2, worker.value(Counter.MESSAGES_SENT));
        assertEquals(110, worker.value(Counter.BYTES_SENT));
        assertEquals(2, worker.value(Counter.OPERATIONS_FAILED));
        assertEquals(1, worker.value(Counter.ATOMICS));
        assertEquals(5, context.value(Counter.OPERATIONS_IN_FLIGHT));

        assertEquals(1, overUcx.value(Counter.MESSAGES_SENT));
        assertEquals(10, overUcx.value(Counter.BYTES_SENT));
        assertEquals(1, overUcx.value(Counter.OPERATIONS_FAILED));
        assertEquals(1, overUcx.value(Counter.ATOMICS));
        assertEquals(IN_FLIGHT, overUcx.value(Counter.OPERATIONS_IN_FLIGHT));
    }

    @Test
    void shouldKeepWhatEndedEndpointsHaveCounted() {
        WorkerStatistics worker = open(0);
        CounterSet first = endpoint(worker, TCP);
        CounterSet second = endpoint(worker, TCP);
        CounterSet third = endpoint(worker, UCX);
        worker.add(Counter.BACK_PRESSURE_EVENTS, 4);
        List.of(first, second, third).forEach(set -> {
            end(set, OperationKind.GET, Status.OK, 10);
            end(set, OperationKind.GET, Status.REVOKED, 0);
            set.add(Counter.BACK_PRESSURE_EVENTS, 2);
        });
        for (int ended = 0; ended <= 3; ended++) {
            assertEquals(3, worker.value(Counter.GETS), "endpoints that have ended: " + ended);
            assertEquals(30, worker.value(Counter.BYTES_GOT));
            assertEquals(3, worker.value(Counter.OPERATIONS_FAILED));
            assertEquals(10, worker.value(Counter.BACK_PRESSURE_EVENTS));
            assertEquals(2, context.operations("tcp", OperationKind.GET, Status.OK));
            assertEquals(20, context.bytes("tcp", OperationKind.GET));
            assertEquals(1, context.operations("ucx", OperationKind.GET, Status.REVOKED));
            if (ended < 3) {
                int transport = ended == 1 ? UCX : TCP;
                CounterSet ending = List.of(second, third, first).get(ended);
                worker.foldSet(transport, ending);
                // A second end must not count it twice.
                worker.foldSet(transport, ending);
            }
        }
        assertEquals(1, third.value(Counter.GETS), "the endpoint keeps its own");
    }

    @Test
    void shouldKeepWhatClosedWorkersHaveCounted() {
        WorkerStatistics first = open(0);
        WorkerStatistics second = open(0);
        end(endpoint(first, TCP), OperationKind.PUT, Status.OK, 5);
        end(endpoint(second, TCP), OperationKind.PUT, Status.OK, 6);
        context.close(first);
        context.close(first);

        assertEquals(11, context.bytes("tcp", OperationKind.PUT));
        assertEquals(2, context.value(Counter.PUTS));
        assertEquals(1, context.value(Counter.WORKERS));
    }

    @Test
    void shouldTimeAboutOneInAsManyAsConfiguredAndBothHalvesOfAPingPong() {
        WorkerStatistics worker = open(64);
        for (int i = 0; i < 64 * 1000; i++) {
            time(worker, i % 2 == 0 ? OperationKind.SEND : OperationKind.RECEIVE, TCP);
        }
        long sends = context.latency("tcp", OperationKind.SEND).count();
        long receives = context.latency("tcp", OperationKind.RECEIVE).count();

        // The interval is uniform with mean 64, so that 1000 have a standard deviation of about 18.
        assertTrue(Math.abs(sends + receives - 1000) < 200, () -> "timed " + (sends + receives));
        assertTrue(sends > 300 && receives > 300, () -> "sends " + sends + ", receives " + receives);
        assertEquals(0, context.latency("ucx", OperationKind.SEND).count());
        assertTrue(context.latency("tcp", OperationKind.SEND).sumNs() > 0);
    }

    @Test
    void shouldTimeEveryOperationOrNone() {
        WorkerStatistics all = open(1);
        WorkerStatistics none = open(0);
        for (int i = 0; i < 100; i++) {
            time(all, OperationKind.GET, TCP);
            time(none, OperationKind.GET, UCX);
        }

        assertEquals(100, context.latency("tcp", OperationKind.GET).count());
        assertEquals(0, context.latency("ucx", OperationKind.GET).count());
    }

    @Test
    void shouldCountEndpointsPathsAndFailures() {
        WorkerStatistics worker = open(0);
        Path path = new Path("ucx", PathClass.RDMA, "mlx5_0:1", List.of(), PathCause.FASTEST, "for a test");
        EndpointStatistics endpoint = new EndpointStatistics(worker);
        assertEquals(1, context.endpoints("none", EndpointState.CONNECTING));
        endpoint.markConnected(path, PeerIdentity.ANONYMOUS);
        endpoint.recordRoundTrip(30_000);
        worker.countRefusal(Reason.NO_PATH);
        worker.countConnectFailure(Reason.TIMED_OUT);
        worker.countPeerFailure(Reason.PEER_SILENT, 2_000_000_000L);
        worker.countPeerFailure(Reason.PEER_SILENT, 1_000_000_000L);
        context.countReconnect();

        assertEquals(1, context.endpoints("ucx", EndpointState.CONNECTED));
        assertEquals(1, context.paths("ucx", PathClass.RDMA, PathCause.FASTEST));
        assertEquals(1, context.refusals(Reason.NO_PATH));
        assertEquals(1, context.connectFailures(Reason.TIMED_OUT));
        assertEquals(2, context.peerFailures(Reason.PEER_SILENT));
        assertEquals(3_000_000_000L, context.detectionNs(Reason.PEER_SILENT));
        assertEquals(1, context.controlRoundTrip("ucx").count());
        assertEquals(30_000, context.controlRoundTrip("ucx").sumNs());
        assertEquals(1, context.value(Counter.RECONNECTS));

        assertEquals(0, context.endpoints("none", EndpointState.CONNECTING));
        endpoint.markClosing();
        assertEquals(0, context.endpoints("ucx", EndpointState.CONNECTED));
        assertEquals(0, context.paths("ucx", PathClass.RDMA, PathCause.FASTEST));
        assertEquals(1, context.endpoints("ucx", EndpointState.CLOSING));
        endpoint.markEnded();
        for (EndpointState state : EndpointState.values()) {
            assertEquals(0, context.endpoints("ucx", state), state::toString);
        }
    }

    @Test
    void shouldCountAnEndpointThatNeverConnectedUnderNoTransport() {
        WorkerStatistics worker = open(0);
        EndpointStatistics endpoint = new EndpointStatistics(worker);
        endpoint.markEnded();
        endpoint.add(Counter.UNEXPECTED_MESSAGES, 1);
        end(endpoint, OperationKind.RECEIVE, Status.OK, 8);
        for (int look = 0; look < 2; look++) {
            assertEquals(0, context.endpoints("none", EndpointState.CONNECTING));
            assertEquals(1, context.operations("none", OperationKind.RECEIVE, Status.OK));
            assertEquals(1, worker.value(Counter.UNEXPECTED_MESSAGES));
            endpoint.foldCounters();
        }
    }

    @Test
    void shouldNameTheTransportThatItDoesNotKnow() {
        String message = assertThrows(
                        IllegalArgumentException.class, () -> context.bytes("infiniband", OperationKind.PUT))
                .getMessage();
        assertEquals("unknown transport: transport=infiniband, known=[none, tcp, ucx]", message);
    }

    private WorkerStatistics open(int sampling) {
        WorkerStatistics worker = context.newWorker(sampling, () -> 5);
        context.open(worker);
        return worker;
    }

    private static CounterSet endpoint(WorkerStatistics worker, int transport) {
        CounterSet set = new CounterSet();
        for (int i = 0; i < IN_FLIGHT; i++) {
            set.beginOperation();
        }
        worker.addSet(transport, set);
        return set;
    }

    private static void end(CounterSet set, OperationKind kind, Status status, long length) {
        set.countOperation(kind.ordinal(), status, length);
    }

    private static void time(WorkerStatistics worker, OperationKind kind, int transport) {
        long startedNs = worker.sampleStart();
        if (startedNs != WorkerStatistics.UNTIMED) {
            assertTrue(worker.recordLatency(transport, kind.ordinal(), startedNs) >= 0);
        }
    }
}
