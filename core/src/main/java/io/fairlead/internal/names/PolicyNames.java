package io.fairlead.internal.names;

import io.fairlead.PathPolicy;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Checks configured policies against the available transports: any other word would name a transport that no peer has.
 */
public final class PolicyNames {
    private static final List<String> WORDS = Stream.of(PathPolicy.AUTO, PathPolicy.REQUIRE_RDMA, PathPolicy.TCP_ONLY)
            .map(PathPolicy::toString)
            .toList();

    private PolicyNames() {}

    /**
     * The fault of a policy that names an unknown transport.
     *
     * @param policy the policy
     * @param transports the names of the found transports, usable or not
     * @return a sentence without its end, for the origin to follow; empty if there is no fault
     */
    public static Optional<String> problem(PathPolicy policy, Collection<String> transports) {
        String text = policy.toString();
        List<String> allowed =
                Stream.concat(WORDS.stream(), transports.stream().sorted()).toList();
        if (allowed.contains(text)) {
            return Optional.empty();
        }
        return Optional.of("policy=" + text + " is no policy and names no transport on the path: allowed "
                + String.join(", ", allowed)
                + NearestName.of(text, allowed)
                        .map(nearest -> ", did you mean " + nearest + "?")
                        .orElse(""));
    }
}
