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

/** The rights and limits of one context's peers. Thread-safe. */
public final class ContextAccess implements AutoCloseable {
    private final PeerLimits limits;
    private final @Nullable AccessFile file;
    private final Authorizer authorizer;
    /** Notified when other rules are in force. */
    private volatile Runnable listener = () -> {};
    /** The number of changes of the rules. */
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
     * Reads the configuration.
     *
     * @param application the application's own authorizer, which may restrict what the file allows, or null
     * @throws FairleadException {@code CONFIGURATION} if the file of rules is unusable
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

    /** Runs a command whenever other rules are in force, on a thread that must not be blocked. */
    public void onChange(Runnable changed) {
        listener = Objects.requireNonNull(changed, "changed");
    }

    /** Decides what peers may do, and never throws. */
    public Authorizer authorizer() {
        return authorizer;
    }

    /** Whether there are rules or an authorizer. */
    public boolean isRestricted() {
        return !authorizer.equals(Authorizer.ALL);
    }

    /** Whether a peer may get fewer rights to a region than its key has. */
    public boolean restrictsRegions() {
        return isRestricted() || limits.countsRegions();
    }

    /** Changes with the rules: a decision under another version must be made again. */
    public int version() {
        return version.get();
    }

    /** Counts a new handshake; returns why the peer is refused, or an empty text. */
    public String beginHandshake(InetAddress source, long nowNs) {
        return limits.beginHandshake(source, nowNs);
    }

    /**
     * Admits an authenticated peer.
     *
     * @return its slot, to be freed when the connection has ended
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

    /** Why a peer must no longer be connected under the current rules, or null if it may. */
    public @Nullable FairleadException expulsion(PeerIdentity peer, InetSocketAddress source) {
        Verdict verdict = authorizer.connect(peer, source);
        return verdict.isAllowed() ? null : new FairleadException(Reason.REFUSED, refusal(peer, source, verdict));
    }

    /** Why a listener that this context has connected to must not be used, or null if it may. */
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

    /** The rights of a peer to a region. */
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

    /** Counts a region of a peer; returns why it is refused, or an empty text. */
    public String takeRegion(PeerIdentity peer, long length) {
        return limits.takeRegion(peer, length);
    }

    /** Why a peer may not use a further region now, or an empty text. */
    public String regionShortage(PeerIdentity peer, long length) {
        return limits.regionShortage(peer, length);
    }

    /** Uncounts a region of a peer. */
    public void returnRegion(PeerIdentity peer, long length) {
        limits.returnRegion(peer, length);
    }

    /** Stops watching the file. */
    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
