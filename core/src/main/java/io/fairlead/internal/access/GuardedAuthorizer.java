package io.fairlead.internal.access;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.PeerIdentity;
import io.fairlead.internal.log.Callbacks;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An authorizer that refuses on failure: exceptions are logged, and admit nobody. */
final class GuardedAuthorizer implements Authorizer {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedAuthorizer.class);
    private static final int REASON_MAX = 400;

    private final Authorizer authorizer;

    GuardedAuthorizer(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    @Override
    public Verdict connect(PeerIdentity peer, InetSocketAddress source) {
        return guard(() -> authorizer.connect(peer, source), peer);
    }

    @Override
    public Verdict listener(PeerIdentity peer, InetSocketAddress address) {
        return guard(() -> authorizer.listener(peer, address), peer);
    }

    @Override
    public Verdict messages(PeerIdentity peer) {
        return guard(() -> authorizer.messages(peer), peer);
    }

    @Override
    public Verdict request(PeerIdentity peer, long service) {
        return guard(() -> authorizer.request(peer, service), peer);
    }

    @Override
    public Verdict publish(PeerIdentity peer, String topic) {
        return guard(() -> authorizer.publish(peer, topic), peer);
    }

    @Override
    public Verdict subscribe(PeerIdentity peer, String topic) {
        return guard(() -> authorizer.subscribe(peer, topic), peer);
    }

    @Override
    public Set<AccessRight> region(PeerIdentity peer, String label) {
        Set<AccessRight> rights = EnumSet.noneOf(AccessRight.class);
        try {
            rights.addAll(authorizer.region(peer, label));
        } catch (Throwable thrown) {
            rights.clear();
            Callbacks.logThrown(LOG, thrown, "an authorizer threw, which refuses; peer={}", peer);
        }
        return rights;
    }

    private static Verdict guard(Supplier<Verdict> question, PeerIdentity peer) {
        try {
            Verdict verdict = Objects.requireNonNull(question.get(), "verdict");
            return verdict.isAllowed() ? Verdict.ALLOWED : Verdict.refused(oneLine(verdict.reason()));
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an authorizer threw, which refuses; peer={}", peer);
            return Verdict.refused("the authorizer failed, see the log of the side that refuses");
        }
    }

    /** Both sides log the reason. */
    private static String oneLine(String reason) {
        String cut = reason.length() > REASON_MAX ? reason.substring(0, REASON_MAX) + "..." : reason;
        return cut.replaceAll("[\\p{Cntrl}\\u2028\\u2029]", " ");
    }
}
