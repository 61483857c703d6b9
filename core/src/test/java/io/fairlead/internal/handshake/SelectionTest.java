package io.fairlead.internal.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.internal.handshake.Selection.Candidate;
import io.fairlead.internal.handshake.Selection.Refused;
import io.fairlead.internal.handshake.Selection.Selected;
import io.fairlead.spi.Reach;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
final class SelectionTest {
    private static final Candidate TCP = path("tcp", PathClass.TCP, "every host has TCP");
    private static final Candidate SHM = path("ucx", PathClass.SHARED_MEMORY, "");
    private static final Candidate RDMA = path("ucx", PathClass.RDMA, "mlx5_0:1 is up on both sides");
    private static final Candidate NO_DEVICE = new Candidate("ucx", 100, Reach.none("no RDMA device"));
    private static final PathPolicy AUTO = PathPolicy.AUTO;
    private static final PathPolicy RDMA_ONLY = PathPolicy.REQUIRE_RDMA;
    private static final PathPolicy TCP_ONLY = PathPolicy.TCP_ONLY;
    private static final PathPolicy UCX = PathPolicy.named("ucx");
    private static final Map<String, String> NO_CAUSES = Map.of();

    private static final Candidate ON_REQUEST = new Candidate(
            "ucx",
            100,
            Reach.by(PathClass.SHARED_MEMORY, "memory", List.of("posix"), "").ifRequested());

    static Stream<Arguments> selected() {
        return Stream.of(
                // A path that is there for whoever asks for it.
                row(
                        "tcp",
                        "of the transports that both sides have only tcp reaches this peer; ucx: shared memory by it is taken where policy=ucx asks for it",
                        List.of(TCP, ON_REQUEST),
                        AUTO,
                        AUTO),
                row("ucx", "policy ucx of the connector", List.of(TCP, ON_REQUEST), AUTO, UCX),
                row("ucx", "policy ucx of the listener", List.of(TCP, ON_REQUEST), UCX, AUTO),
                row("ucx", "only ucx is shared by both sides", List.of(ON_REQUEST), AUTO, AUTO),
                // Both sides leave the choice open.
                row("tcp", "only tcp is shared by both sides", List.of(TCP), AUTO, AUTO),
                row(
                        "tcp",
                        "only tcp is shared by both sides; ucx is unavailable at the listener: libucp.so.0 not found",
                        List.of(TCP),
                        AUTO,
                        AUTO,
                        Set.of(),
                        Set.of("ucx"),
                        Map.of("ucx", "libucp.so.0 not found")),
                row(
                        "tcp",
                        "only tcp is shared by both sides; ucx is unavailable at the listener: libucp.so.0 not found",
                        List.of(TCP),
                        AUTO,
                        AUTO,
                        Set.of(),
                        Set.of(),
                        Map.of("ucx", "libucp.so.0 not found")),
                row(
                        "tcp",
                        "only tcp is shared by both sides; ucx is not installed at the listener",
                        List.of(TCP),
                        AUTO,
                        AUTO,
                        Set.of(),
                        Set.of("ucx"),
                        NO_CAUSES),
                row(
                        "tcp",
                        "only tcp is shared by both sides; a is not installed at the listener; ucx is not offered by the connector",
                        List.of(TCP),
                        AUTO,
                        AUTO,
                        Set.of("ucx"),
                        Set.of("a"),
                        NO_CAUSES),
                row(
                        "tcp",
                        "of the transports that both sides have only tcp reaches this peer; ucx: no RDMA device",
                        List.of(TCP, NO_DEVICE),
                        AUTO,
                        AUTO),
                row("ucx", "shared memory is the fastest path that both sides have", List.of(TCP, SHM), AUTO, AUTO),
                row(
                        "ucx",
                        "RDMA is the fastest path that both sides have (mlx5_0:1 is up on both sides)",
                        List.of(TCP, RDMA),
                        AUTO,
                        AUTO),
                row(
                        "ucx",
                        "shared memory is the fastest path that both sides have",
                        List.of(SHM, path("xpmem", PathClass.RDMA, "")),
                        AUTO,
                        AUTO,
                        Set.of("tcp"),
                        Set.of("b"),
                        Map.of("c", "broken")),
                row(
                        "loopback",
                        "memory of one process is the fastest path that both sides have (same process)",
                        List.of(TCP, SHM, path("loopback", PathClass.IN_PROCESS, "same process")),
                        AUTO,
                        AUTO),
                // Transports of one class: the first by name.
                row(
                        "a",
                        "TCP is the fastest path that both sides have",
                        List.of(TCP, path("b", PathClass.TCP, ""), path("a", PathClass.TCP, "")),
                        AUTO,
                        AUTO),
                // One side or both narrow the choice.
                row(
                        "tcp",
                        "policy tcp-only of the listener, which gives up shared memory by ucx",
                        List.of(TCP, SHM),
                        TCP_ONLY,
                        AUTO),
                row(
                        "tcp",
                        "policy tcp-only of the connector, which gives up shared memory by ucx",
                        List.of(TCP, SHM),
                        AUTO,
                        TCP_ONLY),
                row(
                        "tcp",
                        "policy tcp-only of both sides, which gives up shared memory by ucx",
                        List.of(TCP, SHM),
                        TCP_ONLY,
                        TCP_ONLY),
                row(
                        "ucx",
                        "policy require-rdma of the connector (mlx5_0:1 is up on both sides)",
                        List.of(TCP, RDMA),
                        AUTO,
                        RDMA_ONLY),
                row(
                        "ucx",
                        "policy ucx of the listener and policy require-rdma of the connector (mlx5_0:1 is up on both sides)",
                        List.of(TCP, RDMA),
                        UCX,
                        RDMA_ONLY),
                row("ucx", "policy ucx of the connector", List.of(TCP, SHM), AUTO, UCX));
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                row("", "no transport is shared by both sides", List.of(), AUTO, AUTO),
                row(
                        "",
                        "no transport is shared by both sides; tcp is not offered by the connector; ucx is unavailable at the listener: no /dev/shm",
                        List.of(),
                        AUTO,
                        AUTO,
                        Set.of("tcp"),
                        Set.of("ucx"),
                        Map.of("ucx", "no /dev/shm")),
                row(
                        "",
                        "no transport that both sides have reaches this peer; ucx: no RDMA device",
                        List.of(NO_DEVICE),
                        AUTO,
                        AUTO),
                row(
                        "",
                        "policy require-rdma of the connector: no RDMA path; tcp reaches this peer by TCP; ucx: no RDMA device",
                        List.of(NO_DEVICE, TCP),
                        AUTO,
                        RDMA_ONLY),
                row(
                        "",
                        "policy require-rdma of both sides: no transport that both sides have reaches this peer; ucx: no RDMA device",
                        List.of(NO_DEVICE),
                        RDMA_ONLY,
                        RDMA_ONLY),
                row(
                        "",
                        "policy tcp-only of the listener: no TCP path; ucx reaches this peer by shared memory; tcp is not offered by the connector",
                        List.of(SHM),
                        TCP_ONLY,
                        AUTO,
                        Set.of("tcp"),
                        Set.of(),
                        NO_CAUSES),
                row(
                        "",
                        "policy ucx of the connector: no path by ucx; tcp reaches this peer by TCP; ucx is not installed at the listener",
                        List.of(TCP),
                        AUTO,
                        UCX,
                        Set.of(),
                        Set.of("ucx"),
                        NO_CAUSES),
                row(
                        "",
                        "policy tcp-only of the listener and policy require-rdma of the connector: no path satisfies both; tcp reaches this peer by TCP; ucx reaches this peer by RDMA",
                        List.of(RDMA, TCP),
                        TCP_ONLY,
                        RDMA_ONLY),
                row(
                        "",
                        "policy require-rdma of the listener and policy ucx of the connector: no RDMA path, no path by ucx; tcp reaches this peer by TCP",
                        List.of(TCP),
                        RDMA_ONLY,
                        UCX),
                row(
                        "",
                        "policy tcp-only of the listener and policy ucx of the connector: no TCP path; ucx reaches this peer by RDMA",
                        List.of(RDMA),
                        TCP_ONLY,
                        UCX));
    }

    @ParameterizedTest
    @MethodSource("selected")
    void shouldSelect(
            String transport,
            String reason,
            List<Candidate> candidates,
            PathPolicy listener,
            PathPolicy connector,
            Set<String> listenerOnly,
            Set<String> connectorOnly,
            Map<String, String> causes) {
        Selection selection = Selection.choose(candidates, listener, connector, listenerOnly, connectorOnly, causes);
        Selected selected = assertInstanceOf(Selected.class, selection, selection::reason);
        assertEquals(reason, selected.reason());
        assertEquals(transport, selected.transport());
        assertEquals(
                selected.reach(),
                candidates.stream()
                        .filter(candidate -> candidate.transport().equals(transport))
                        .findFirst()
                        .orElseThrow()
                        .reach());
    }

    /** The name decides only where the ranks do not. */
    @Test
    void shouldChooseTheLeastRankOfAClass() {
        Reach memory = Reach.by(PathClass.SHARED_MEMORY, "memory", List.of(), "");
        List<Candidate> candidates =
                List.of(new Candidate("a", 90, memory), new Candidate("c", 10, memory), new Candidate("b", 10, memory));
        Selection selection = Selection.choose(candidates, AUTO, AUTO, Set.of(), Set.of(), NO_CAUSES);
        assertEquals("b", assertInstanceOf(Selected.class, selection).transport());
    }

    static Stream<Arguments> causes() {
        return Stream.of(
                Arguments.of(PathCause.FASTEST, List.of(TCP, SHM), AUTO, AUTO),
                Arguments.of(PathCause.ONLY_SHARED, List.of(TCP), AUTO, AUTO),
                Arguments.of(PathCause.ONLY_REACHING, List.of(TCP, NO_DEVICE), AUTO, AUTO),
                Arguments.of(PathCause.POLICY, List.of(TCP, SHM), AUTO, TCP_ONLY),
                Arguments.of(PathCause.POLICY, List.of(TCP, NO_DEVICE), TCP_ONLY, AUTO),
                Arguments.of(PathCause.POLICY, List.of(TCP), TCP_ONLY, TCP_ONLY));
    }

    @ParameterizedTest
    @MethodSource("causes")
    void shouldNameTheCause(PathCause cause, List<Candidate> candidates, PathPolicy listener, PathPolicy connector) {
        Selection selection = Selection.choose(candidates, listener, connector, Set.of(), Set.of(), NO_CAUSES);
        assertEquals(
                cause,
                assertInstanceOf(Selected.class, selection, selection::reason).cause());
    }

    @ParameterizedTest
    @MethodSource("refused")
    void shouldRefuse(
            String none,
            String reason,
            List<Candidate> candidates,
            PathPolicy listener,
            PathPolicy connector,
            Set<String> listenerOnly,
            Set<String> connectorOnly,
            Map<String, String> causes) {
        Selection selection = Selection.choose(candidates, listener, connector, listenerOnly, connectorOnly, causes);
        assertEquals(new Refused(reason), selection);
    }

    @Test
    void shouldNotDependOnTheOrderOfCandidates() {
        Random random = new Random(7);
        PathClass[] classes = PathClass.values();
        PathPolicy[] policies = {AUTO, RDMA_ONLY, TCP_ONLY, UCX, PathPolicy.named("t0")};
        for (int round = 0; round < 2000; round++) {
            List<Candidate> candidates = new ArrayList<>();
            for (int i = 0; i < random.nextInt(5); i++) {
                int kind = random.nextInt(classes.length + 1);
                candidates.add(
                        kind == classes.length
                                ? new Candidate("t" + i, 100, Reach.none("broken"))
                                : path("t" + i, classes[kind], "fine"));
            }
            PathPolicy listener = policies[random.nextInt(policies.length)];
            PathPolicy connector = policies[random.nextInt(policies.length)];
            Selection first = Selection.choose(candidates, listener, connector, Set.of(), Set.of(), Map.of());
            assertBest(first, candidates, listener, connector);
            Collections.shuffle(candidates, random);
            assertEquals(first, Selection.choose(candidates, listener, connector, Set.of(), Set.of(), Map.of()));
        }
    }

    @Test
    void shouldAddWhatOnlyTheConnectorKnows() {
        String reason = "only tcp is shared by both sides; ucx is not offered by the connector";
        assertEquals(reason, Selection.atConnector(reason, Map.of()));
        assertEquals(
                reason + "; a is unavailable at the connector: no a; ucx is unavailable at the connector: no b",
                Selection.atConnector(reason, Map.of("ucx", "no b", "a", "no a")));
    }

    @Test
    void shouldTellACauseOfBothSidesOnce() {
        String cause = "no library; install it with: apt-get install libucx0";
        for (String rest : List.of("", "; z is not offered by the connector")) {
            String reason = "only tcp is shared by both sides; ucx is unavailable at the listener: " + cause + rest;
            assertEquals(
                    reason + "; ucx is unavailable at the connector for the same cause",
                    Selection.atConnector(reason, Map.of("ucx", cause)));
            assertEquals(
                    reason + "; ucx is unavailable at the connector: another",
                    Selection.atConnector(reason, Map.of("ucx", "another")));
        }
    }

    /** No allowed candidate is better than the one selected, and a refusal means that none is allowed. */
    private static void assertBest(
            Selection selection, List<Candidate> candidates, PathPolicy listener, PathPolicy connector) {
        List<String> allowed = candidates.stream()
                .filter(candidate -> candidate.reach().pathClass() != null
                        && listener.allows(
                                candidate.transport(), candidate.reach().pathClass())
                        && connector.allows(
                                candidate.transport(), candidate.reach().pathClass()))
                .map(candidate -> candidate.reach().pathClass().ordinal() + candidate.transport())
                .sorted()
                .toList();
        if (selection instanceof Selected selected) {
            assertEquals(allowed.getFirst(), selected.reach().pathClass().ordinal() + selected.transport());
        } else {
            assertEquals(List.of(), allowed);
        }
    }

    private static Candidate path(String transport, PathClass pathClass, String reason) {
        return new Candidate(transport, 100, Reach.by(pathClass, "device", List.of(), reason));
    }

    private static Arguments row(
            String transport, String reason, List<Candidate> candidates, PathPolicy listener, PathPolicy connector) {
        return row(transport, reason, candidates, listener, connector, Set.of(), Set.of(), NO_CAUSES);
    }

    private static Arguments row(
            String transport,
            String reason,
            List<Candidate> candidates,
            PathPolicy listener,
            PathPolicy connector,
            Set<String> listenerOnly,
            Set<String> connectorOnly,
            Map<String, String> causes) {
        return Arguments.of(transport, reason, candidates, listener, connector, listenerOnly, connectorOnly, causes);
    }
}
