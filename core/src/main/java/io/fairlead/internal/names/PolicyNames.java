package io.fairlead.internal.names;

import io.fairlead.PathPolicy;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Holds configured policies to the transports that there are: any other word would be taken for a transport that no peer has. */
public final class PolicyNames {
    private static final List<String> WORDS = Stream.of(PathPolicy.AUTO, PathPolicy.REQUIRE_RDMA, PathPolicy.TCP_ONLY)
            .map(PathPolicy::toString)
            .toList();

    private PolicyNames() {}

    /**
     * Says what is wrong with a policy that names a transport which is not there.
     *
     * @param policy the policy
     * @param transports the names of those that are there, whether they can be used or not
     * @return a sentence without its end, for the origin to follow; empty if nothing is wrong
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
