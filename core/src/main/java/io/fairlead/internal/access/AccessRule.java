package io.fairlead.internal.access;

import io.fairlead.AccessRight;
import io.fairlead.PeerIdentity;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/**
 * What peers of some identities may do; everything else is refused. Immutable.
 *
 * @param identities the identities that the rule applies to
 * @param networks the networks from which they may connect; empty for none
 * @param messages whether they may send tagged messages
 * @param services tags of services to which they may make requests
 * @param publish topics that they may publish
 * @param subscribe topics that they may subscribe to
 * @param regions their rights to regions; the first entry that matches a label decides
 */
record AccessRule(
        List<IdentityPattern> identities,
        List<Network> networks,
        boolean messages,
        Services services,
        List<Glob> publish,
        List<Glob> subscribe,
        List<RegionRule> regions) {
    /**
     * Rights to regions.
     *
     * @param label the regions' labels
     * @param rights the rights to these regions
     */
    record RegionRule(Glob label, Set<AccessRight> rights) {}

    /**
     * Services by their tags.
     *
     * @param all whether all services are included, with any tag
     * @param tags the included tags
     */
    record Services(boolean all, Set<Long> tags) {
        static final Services ALL = new Services(true, Set.of());
        static final Services NONE = new Services(false, Set.of());

        Services {
            tags = Set.copyOf(tags);
        }
    }

    AccessRule {
        identities = List.copyOf(identities);
        networks = List.copyOf(networks);
        publish = List.copyOf(publish);
        subscribe = List.copyOf(subscribe);
        regions = List.copyOf(regions);
    }

    boolean isAbout(PeerIdentity peer) {
        return identities.stream().anyMatch(pattern -> pattern.matches(peer));
    }

    boolean mayConnectFrom(InetAddress source) {
        return networks.stream().anyMatch(network -> network.contains(source));
    }

    boolean mayRequest(long service) {
        return services.all() || services.tags().contains(service);
    }

    boolean mayPublish(String topic) {
        return publish.stream().anyMatch(pattern -> pattern.matches(topic));
    }

    boolean maySubscribe(String topic) {
        return subscribe.stream().anyMatch(pattern -> pattern.matches(topic));
    }

    Set<AccessRight> rights(String label) {
        return regions.stream()
                .filter(rule -> rule.label().matches(label))
                .findFirst()
                .map(RegionRule::rights)
                .orElse(Set.of());
    }
}
