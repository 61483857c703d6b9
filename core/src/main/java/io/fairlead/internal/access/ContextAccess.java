package io.fairlead.internal.access;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.Authorizer.Verdict;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PeerIdentity;
import io.fairlead.config.ConfigKeys;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What the peers of one context may do, and how much. Thread-safe. */
public final class ContextAccess implements AutoCloseable {
    private final PeerLimits limits;
    private final @Nullable AccessFile file;
    private final Authorizer authorizer;
    /** Told when other rules are in force. */
    private volatile Runnable listener = () -> {};
    /** How often other rules have come into force. */
    private final AtomicInteger version = new AtomicInteger();

    private ContextAccess(FairleadConfig config, @Nullable Authorizer application) {
        this.limits = new PeerLimits(config);
        String name = config.value(ConfigKeys.SECURITY_ACL);
        this.file = name.isBlank()
                ? null
                : AccessFile.open(
                        AccessFileParser.path(name), config.value(ConfigKeys.SECURITY_ACL_INTERVAL), this::change);
        this.authorizer = joined(file, application);
    }

    /**
     * Reads what is configured.
     *
     * @param application the application's own authorizer, asked about what the file allows, or null
     * @throws FairleadException {@code CONFIGURATION} if the file of rules cannot be used
     */
    public static ContextAccess open(FairleadConfig config, @Nullable Authorizer application) {
        return new ContextAccess(config, application);
    }

    private static Authorizer joined(@Nullable AccessFile file, @Nullable Authorizer application) {
        if (application == null || application.equals(Authorizer.ALL)) {
            return file == null ? Authorizer.ALL : new GuardedAuthorizer(file);
        }
        return new GuardedAuthorizer(file == null ? application : new JointAuthorizer(file, application));
    }

    private void change() {
        version.incrementAndGet();
        listener.run();
    }

    /** Has something done whenever other rules are in force; on a thread that must not be kept. */
    public void onChange(Runnable changed) {
        listener = Objects.requireNonNull(changed, "changed");
    }

    /** Decides what peers may do, and never throws. */
    public Authorizer authorizer() {
        return authorizer;
    }

    /** Whether there is anybody to ask. */
    public boolean isRestricted() {
        return !authorizer.equals(Authorizer.ALL);
    }

    /** Whether a peer may get less of a region than its key says. */
    public boolean restrictsRegions() {
        return isRestricted() || limits.countsRegions();
    }

    /** Changes with the rules: what was decided under another number has to be decided again. */
    public int version() {
        return version.get();
    }

    /** Counts a handshake that begins; why the peer is refused, or an empty text. */
    public String beginHandshake(InetAddress source, long nowNs) {
        return limits.beginHandshake(source, nowNs);
    }

    /**
     * Lets a peer in that has proved who it is.
     *
     * @return its place, to be given back when the connection has ended
     * @throws FairleadException {@code REFUSED} if it may not connect, {@code LIMIT_REACHED} if it has too many connections or too many handshakes
     */
    public Admission admit(PeerIdentity peer, InetSocketAddress source, long nowNs) {
        Verdict verdict = authorizer.connect(peer, source);
        if (!verdict.isAllowed()) {
            throw new FairleadException(Reason.REFUSED, refusal(peer, source, verdict));
        }
        String shortage = limits.connect(peer, source.getAddress(), nowNs);
        if (!shortage.isEmpty()) {
            throw new FairleadException(Reason.LIMIT_REACHED, shortage);
        }
        return new Admission(limits, peer, source.getAddress());
    }

    /** Why a peer may be connected no longer under the rules of now, or null if it may. */
    public @Nullable FairleadException expulsion(PeerIdentity peer, InetSocketAddress source) {
        Verdict verdict = authorizer.connect(peer, source);
        return verdict.isAllowed() ? null : new FairleadException(Reason.REFUSED, refusal(peer, source, verdict));
    }

    /** Why a listener that this context has connected to may not be used, or null if it may. */
    public @Nullable FairleadException distrust(PeerIdentity peer, InetSocketAddress address) {
        Verdict verdict = authorizer.listener(peer, address);
        return verdict.isAllowed()
                ? null
                : new FairleadException(
                        Reason.UNTRUSTED,
                        "not allowed to use this listener: identity=" + peer + ", address=" + address.getHostString()
                                + ":" + address.getPort() + "; " + verdict.reason());
    }

    private static String refusal(PeerIdentity peer, InetSocketAddress source, Verdict verdict) {
        return "not allowed to connect: identity=" + peer + ", source="
                + source.getAddress().getHostAddress() + "; " + verdict.reason();
    }

    /** What a peer may do to a region. */
    public Set<AccessRight> rights(PeerIdentity peer, String label) {
        if (label.startsWith(Authorizer.TOPIC_LABEL)) {
            return authorizer
                            .subscribe(peer, label.substring(Authorizer.TOPIC_LABEL.length()))
                            .isAllowed()
                    ? Set.of(AccessRight.READ)
                    : Set.of();
        }
        return authorizer.region(peer, label);
    }

    /** Takes a region for a peer; why it may not have it, or an empty text. */
    public String takeRegion(PeerIdentity peer, long length) {
        return limits.takeRegion(peer, length);
    }

    /** Why a peer may have no further region now, or an empty text. */
    public String regionShortage(PeerIdentity peer, long length) {
        return limits.regionShortage(peer, length);
    }

    /** Gives a region of a peer back. */
    public void returnRegion(PeerIdentity peer, long length) {
        limits.returnRegion(peer, length);
    }

    /** Looks at the file no more. */
    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
