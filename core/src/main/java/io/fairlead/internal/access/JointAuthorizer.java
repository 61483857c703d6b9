package io.fairlead.internal.access;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.PeerIdentity;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.Set;

/**
 * Allows what both authorizers allow: the rules of a file and the application's code.
 *
 * @param first called first
 * @param second called for what the first allows
 */
record JointAuthorizer(Authorizer first, Authorizer second) implements Authorizer {
    @Override
    public Verdict connect(PeerIdentity peer, InetSocketAddress source) {
        Verdict verdict = first.connect(peer, source);
        return verdict.isAllowed() ? second.connect(peer, source) : verdict;
    }

    @Override
    public Verdict listener(PeerIdentity peer, InetSocketAddress address) {
        Verdict verdict = first.listener(peer, address);
        return verdict.isAllowed() ? second.listener(peer, address) : verdict;
    }

    @Override
    public Verdict messages(PeerIdentity peer) {
        Verdict verdict = first.messages(peer);
        return verdict.isAllowed() ? second.messages(peer) : verdict;
    }

    @Override
    public Verdict request(PeerIdentity peer, long service) {
        Verdict verdict = first.request(peer, service);
        return verdict.isAllowed() ? second.request(peer, service) : verdict;
    }

    @Override
    public Verdict publish(PeerIdentity peer, String topic) {
        Verdict verdict = first.publish(peer, topic);
        return verdict.isAllowed() ? second.publish(peer, topic) : verdict;
    }

    @Override
    public Verdict subscribe(PeerIdentity peer, String topic) {
        Verdict verdict = first.subscribe(peer, topic);
        return verdict.isAllowed() ? second.subscribe(peer, topic) : verdict;
    }

    @Override
    public Set<AccessRight> region(PeerIdentity peer, String label) {
        Set<AccessRight> rights = EnumSet.noneOf(AccessRight.class);
        rights.addAll(first.region(peer, label));
        rights.retainAll(second.region(peer, label));
        return rights;
    }
}
