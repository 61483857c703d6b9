package io.fairlead.node.discovery;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;

/**
 * The members of a service as a registry has them now. Immutable.
 *
 * @param members all of them, equal ones once; a registry that knows the name and no member answers with an empty list
 * @param validFor how long to wait before the registry is asked again, unless it reports a change before: the TTL of a record, for instance. The node
 *     asks no sooner than after {@code node.discovery-refresh-min}
 */
public record Resolution(List<Member> members, Duration validFor) {
    /** Copies the list, and leaves equal members out but the first: a set would connect to both. */
    public Resolution {
        members = List.copyOf(new LinkedHashSet<>(members));
        Objects.requireNonNull(validFor, "validFor");
    }
}
