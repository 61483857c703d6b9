package io.fairlead.internal.handshake;

import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.spi.Reach;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The path of an endpoint, and the reason: a pure function of the listener's data when a Hello has arrived.
 *
 * <p>Both sides log the reason, so it names "the listener" and "the connector" and never "here".
 */
public sealed interface Selection {
    /**
     * Why this path, or why none.
     *
     * @return one line
     */
    String reason();

    /**
     * A transport that both sides can use.
     *
     * @param transport its name
     * @param rank its rank among the transports of a class; less is better
     * @param reach the listener's evaluation
     */
    record Candidate(String transport, int rank, Reach reach) {
        public Candidate {
            Objects.requireNonNull(transport, "transport");
            Objects.requireNonNull(reach, "reach");
        }
    }

    /**
     * A path was found.
     *
     * @param transport the transport's name
     * @param reach how it reaches the peer; never without a path class
     * @param cause why this path
     * @param reason the same in words
     */
    record Selected(String transport, Reach reach, PathCause cause, String reason) implements Selection {
        public Selected {
            Objects.requireNonNull(transport, "transport");
            Objects.requireNonNull(reach.pathClass(), "pathClass");
            Objects.requireNonNull(cause, "cause");
            Objects.requireNonNull(reason, "reason");
        }
    }

    /**
     * No path satisfies both sides.
     *
     * @param reason why not
     */
    record Refused(String reason) implements Selection {
        public Refused {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /**
     * Chooses the best class of path that both policies allow. Within that class the transport of least rank is chosen,
     * and of equal ranks the first by name.
     *
     * @param candidates the transports that both sides can use
     * @param listenerPolicy the listener's policy
     * @param connectorPolicy the connector's policy
     * @param listenerOnly transports that the listener can use and the connector does not offer
     * @param connectorOnly transports that the connector offers and the listener cannot use
     * @param listenerCauses why the listener cannot use transports that it knows, by their names
     * @return the choice
     */
    static Selection choose(
            List<Candidate> candidates,
            PathPolicy listenerPolicy,
            PathPolicy connectorPolicy,
            Set<String> listenerOnly,
            Set<String> connectorOnly,
            Map<String, String> listenerCauses) {
        List<Candidate> sorted = new ArrayList<>();
        for (Candidate candidate : candidates) {
            sorted.add(
                    candidates.size() == 1 || isNamed(listenerPolicy, candidate) || isNamed(connectorPolicy, candidate)
                            ? candidate
                            : withoutRequest(candidate));
        }
        sorted.sort(Comparator.comparingInt(Candidate::rank).thenComparing(Candidate::transport));
        List<Candidate> reaching = new ArrayList<>();
        Candidate best = null;
        PathClass bestClass = null;
        for (Candidate candidate : sorted) {
            PathClass pathClass = candidate.reach().pathClass();
            if (pathClass == null) {
                continue;
            }
            reaching.add(candidate);
            if (listenerPolicy.allows(candidate.transport(), pathClass)
                    && connectorPolicy.allows(candidate.transport(), pathClass)
                    && (bestClass == null || pathClass.compareTo(bestClass) < 0)) {
                best = candidate;
                bestClass = pathClass;
            }
        }
        List<String> obstacles = obstacles(sorted, listenerOnly, connectorOnly, listenerCauses);
        String policies = policies(listenerPolicy, connectorPolicy);
        if (best == null || bestClass == null) {
            return new Refused(refusal(listenerPolicy, connectorPolicy, policies, sorted, reaching, obstacles));
        }
        PathCause cause = cause(policies, sorted, reaching);
        String reason = cause == PathCause.POLICY
                ? policies + remark(best, bestClass) + givenUp(bestClass, reaching)
                : preference(cause, best, bestClass, obstacles);
        return new Selected(best.transport(), best.reach(), cause, reason);
    }

    /**
     * Completes the listener's reason with data that only the connector has.
     *
     * @param reason the listener's reason
     * @param connectorCauses why the connector cannot use transports that it knows, by their names
     * @return one line for the connector's side
     */
    static String atConnector(String reason, Map<String, String> connectorCauses) {
        StringBuilder line = new StringBuilder(reason);
        new TreeMap<>(connectorCauses).forEach((transport, cause) -> {
            String already = unavailableAtListener(transport, cause);
            if (reason.contains("; " + already + ";") || reason.endsWith("; " + already)) {
                line.append("; ").append(transport).append(" is unavailable at the connector for the same cause");
            } else {
                line.append("; ")
                        .append(transport)
                        .append(" is unavailable at the connector: ")
                        .append(cause);
            }
        });
        return line.toString();
    }

    private static boolean isNamed(PathPolicy policy, Candidate candidate) {
        return policy.equals(PathPolicy.named(candidate.transport()));
    }

    /** Removes a path that is used only on request, if neither policy requests it and there are others. */
    private static Candidate withoutRequest(Candidate candidate) {
        Reach reach = candidate.reach();
        PathClass pathClass = reach.pathClass();
        return reach.onRequest() && pathClass != null
                ? new Candidate(
                        candidate.transport(),
                        candidate.rank(),
                        Reach.none(describe(pathClass) + " by it is taken where policy=" + candidate.transport()
                                + " asks for it"))
                : candidate;
    }

    private static String unavailableAtListener(String transport, String cause) {
        return transport + " is unavailable at the listener: " + cause;
    }

    private static PathCause cause(String policies, List<Candidate> all, List<Candidate> reaching) {
        if (!policies.isEmpty()) {
            return PathCause.POLICY;
        }
        if (all.size() == 1) {
            return PathCause.ONLY_SHARED;
        }
        return reaching.size() == 1 ? PathCause.ONLY_REACHING : PathCause.FASTEST;
    }

    /** The best path that the policies exclude; empty if that is no better. */
    private static String givenUp(PathClass chosen, List<Candidate> reaching) {
        return reaching.stream()
                .min(Comparator.comparing(candidate -> classOf(candidate)))
                .filter(candidate -> classOf(candidate).compareTo(chosen) < 0)
                .map(candidate -> ", which gives up " + describe(classOf(candidate)) + " by " + candidate.transport())
                .orElse("");
    }

    private static PathClass classOf(Candidate candidate) {
        return Objects.requireNonNull(candidate.reach().pathClass(), "pathClass");
    }

    private static String preference(PathCause cause, Candidate best, PathClass bestClass, List<String> obstacles) {
        String head = switch (cause) {
            case ONLY_SHARED -> "only " + best.transport() + " is shared by both sides";
            case ONLY_REACHING ->
                "of the transports that both sides have only " + best.transport() + " reaches this peer";
            case FASTEST, POLICY, FAILOVER -> describe(bestClass) + " is the fastest path that both sides have";
        };
        StringBuilder line = new StringBuilder(head).append(remark(best, bestClass));
        // Shared memory needs no explanation; for a slower path the obstacles of the better ones matter.
        if (bestClass.compareTo(PathClass.SHARED_MEMORY) > 0) {
            obstacles.forEach(obstacle -> line.append("; ").append(obstacle));
        }
        return line.toString();
    }

    private static String refusal(
            PathPolicy listenerPolicy,
            PathPolicy connectorPolicy,
            String policies,
            List<Candidate> all,
            List<Candidate> reaching,
            List<String> obstacles) {
        StringBuilder line = new StringBuilder();
        if (!policies.isEmpty()) {
            line.append(policies).append(": ");
        }
        if (reaching.isEmpty()) {
            line.append(
                    all.isEmpty()
                            ? "no transport is shared by both sides"
                            : "no transport that both sides have reaches this peer");
        } else {
            line.append(wanted(listenerPolicy, connectorPolicy, reaching));
        }
        for (Candidate candidate : reaching) {
            line.append("; ")
                    .append(candidate.transport())
                    .append(" reaches this peer by ")
                    .append(describe(Objects.requireNonNull(candidate.reach().pathClass())));
        }
        obstacles.forEach(obstacle -> line.append("; ").append(obstacle));
        return line.toString();
    }

    /** The missing path; called when there are paths and the policies allow none of them. */
    private static String wanted(PathPolicy listenerPolicy, PathPolicy connectorPolicy, List<Candidate> reaching) {
        boolean listenerContent = reaching.stream().anyMatch(candidate -> allows(listenerPolicy, candidate));
        boolean connectorContent = reaching.stream().anyMatch(candidate -> allows(connectorPolicy, candidate));
        if (listenerContent && connectorContent) {
            return "no path satisfies both";
        }
        Set<String> missing = new LinkedHashSet<>();
        if (!listenerContent) {
            missing.add(missing(listenerPolicy));
        }
        if (!connectorContent) {
            missing.add(missing(connectorPolicy));
        }
        return String.join(", ", missing);
    }

    private static String missing(PathPolicy policy) {
        if (policy.equals(PathPolicy.REQUIRE_RDMA)) {
            return "no RDMA path";
        }
        return policy.equals(PathPolicy.TCP_ONLY) ? "no TCP path" : "no path by " + policy;
    }

    private static boolean allows(PathPolicy policy, Candidate candidate) {
        return policy.allows(
                candidate.transport(), Objects.requireNonNull(candidate.reach().pathClass()));
    }

    /** Which policies narrow the choice; empty if both are auto. */
    private static String policies(PathPolicy listener, PathPolicy connector) {
        if (listener.equals(connector)) {
            return listener.equals(PathPolicy.AUTO) ? "" : "policy " + listener + " of both sides";
        }
        if (listener.equals(PathPolicy.AUTO)) {
            return "policy " + connector + " of the connector";
        }
        if (connector.equals(PathPolicy.AUTO)) {
            return "policy " + listener + " of the listener";
        }
        return "policy " + listener + " of the listener and policy " + connector + " of the connector";
    }

    /** Why other transports were not chosen, by their names. */
    private static List<String> obstacles(
            List<Candidate> candidates,
            Set<String> listenerOnly,
            Set<String> connectorOnly,
            Map<String, String> listenerCauses) {
        Map<String, String> obstacles = new TreeMap<>();
        for (Candidate candidate : candidates) {
            if (candidate.reach().pathClass() == null) {
                obstacles.put(
                        candidate.transport(),
                        candidate.transport() + ": " + candidate.reach().reason());
            }
        }
        for (String transport : listenerOnly) {
            obstacles.putIfAbsent(transport, transport + " is not offered by the connector");
        }
        Set<String> missing = new TreeSet<>(connectorOnly);
        missing.addAll(listenerCauses.keySet());
        for (String transport : missing) {
            String cause = listenerCauses.get(transport);
            obstacles.putIfAbsent(
                    transport,
                    cause == null
                            ? transport + " is not installed at the listener"
                            : unavailableAtListener(transport, cause));
        }
        return List.copyOf(obstacles.values());
    }

    /** The transport's explanation of its path; plain TCP needs none. */
    private static String remark(Candidate candidate, PathClass pathClass) {
        String remark = candidate.reach().reason();
        return pathClass == PathClass.TCP || remark.isBlank() ? "" : " (" + remark + ")";
    }

    private static String describe(PathClass pathClass) {
        return switch (pathClass) {
            case IN_PROCESS -> "memory of one process";
            case SHARED_MEMORY -> "shared memory";
            case RDMA -> "RDMA";
            case TCP -> "TCP";
        };
    }
}
