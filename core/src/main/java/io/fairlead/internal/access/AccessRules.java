package io.fairlead.internal.access;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.PeerIdentity;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * An ordered list of rules: the first rule that applies to a peer decides everything about it. A peer without a rule
 * may do nothing. Immutable.
 */
final class AccessRules implements Authorizer {
    private final List<AccessRule> rules;
    /** The name of the rules in reasons. */
    private final String name;

    AccessRules(List<AccessRule> rules, String name) {
        this.rules = List.copyOf(rules);
        this.name = name;
    }

    /** Whether other rules are equal. */
    boolean isSame(AccessRules other) {
        return rules.equals(other.rules);
    }

    /** The number of rules. */
    int count() {
        return rules.size();
    }

    @Override
    public Verdict connect(PeerIdentity peer, InetSocketAddress source) {
        return verdict(peer, rule -> rule.mayConnectFrom(source.getAddress()), "connect");
    }

    @Override
    public Verdict listener(PeerIdentity peer, InetSocketAddress address) {
        // A matching rule suffices: each operation of the listener is decided separately.
        return verdict(peer, _ -> true, "");
    }

    @Override
    public Verdict messages(PeerIdentity peer) {
        return verdict(peer, AccessRule::messages, "messages");
    }

    @Override
    public Verdict request(PeerIdentity peer, long service) {
        return verdict(peer, rule -> rule.mayRequest(service), "services");
    }

    @Override
    public Verdict publish(PeerIdentity peer, String topic) {
        return verdict(peer, rule -> rule.mayPublish(topic), "publish");
    }

    @Override
    public Verdict subscribe(PeerIdentity peer, String topic) {
        return verdict(peer, rule -> rule.maySubscribe(topic), "subscribe");
    }

    @Override
    public Set<AccessRight> region(PeerIdentity peer, String label) {
        return first(peer).map(rule -> rule.rights(label)).orElse(Set.of());
    }

    private Verdict verdict(PeerIdentity peer, Predicate<AccessRule> allows, String key) {
        Optional<AccessRule> rule = first(peer);
        if (rule.isEmpty()) {
            return Verdict.refused("no rule of " + name + " is about this peer");
        }
        return allows.test(rule.get())
                ? Verdict.ALLOWED
                : Verdict.refused("the rule of " + name + " about this peer does not allow it under " + key);
    }

    private Optional<AccessRule> first(PeerIdentity peer) {
        return rules.stream().filter(rule -> rule.isAbout(peer)).findFirst();
    }
}
