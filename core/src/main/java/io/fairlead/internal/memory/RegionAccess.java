package io.fairlead.internal.memory;

import io.fairlead.AccessRight;
import io.fairlead.PeerIdentity;
import io.fairlead.internal.access.ContextAccess;
import io.fairlead.internal.log.LogScope;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.LocalRegion;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rights of one endpoint's peer to regions of this context. Each region is decided at the peer's first access. It
 * is decided again when other rules are in force, or when it was refused for a limit that has capacity now. A decision
 * is found without allocation. Belongs to the worker's thread.
 */
public final class RegionAccess {
    private static final Logger LOG = LoggerFactory.getLogger(RegionAccess.class);

    /** The endpoint that it belongs to. */
    public interface Owner {
        PeerIdentity peerIdentity();

        String label();

        String nodeName();
    }

    private final ContextAccess access;
    private final Owner owner;
    private final IdentityHashMap<CoreRegion, GrantedRegion> decided = new IdentityHashMap<>();
    private @Nullable GrantedRegion last;

    public RegionAccess(ContextAccess access, Owner owner) {
        this.access = access;
        this.owner = owner;
    }

    /** Finds an open region, and keeps it from being freed; null if it is closed or the peer has no right to it. */
    public @Nullable LocalRegion acquire(CoreRegion region) {
        if (!access.restrictsRegions()) {
            return region.acquire() ? region : null;
        }
        GrantedRegion granted = decide(region);
        return !granted.rights().isEmpty() && region.acquire() ? granted : null;
    }

    /** Whether the peer's rights can be reduced. */
    boolean mayChange() {
        return access.isRestricted();
    }

    /** The peer's rights to a region; empty if it is refused. */
    Set<AccessRight> rights(CoreRegion region) {
        return access.restrictsRegions() ? decide(region).rights() : region.rights();
    }

    private GrantedRegion decide(CoreRegion region) {
        int version = access.version();
        GrantedRegion known = last;
        if (known == null || known.region() != region) {
            known = decided.get(region);
        }
        if (known == null || known.version() != version || hasRoom(known)) {
            known = ask(region, known, version);
            decided.put(region, known);
        }
        last = known;
        return known;
    }

    /** Whether a region that was over a limit no longer is, because others have been closed. */
    private boolean hasRoom(GrantedRegion known) {
        return known.isOverLimit()
                && access.regionShortage(owner.peerIdentity(), known.region().length())
                        .isEmpty();
    }

    private GrantedRegion ask(CoreRegion region, @Nullable GrantedRegion before, int version) {
        PeerIdentity peer = owner.peerIdentity();
        boolean had = before != null && !before.rights().isEmpty();
        Set<AccessRight> rights = EnumSet.noneOf(AccessRight.class);
        rights.addAll(access.rights(peer, region.label()));
        rights.retainAll(region.rights());
        if (rights.isEmpty()) {
            if (had) {
                access.returnRegion(peer, region.length());
            }
            refuse(peer, region, "rights=[]");
            return new GrantedRegion(region, rights, version, false);
        }
        String shortage = had ? "" : access.takeRegion(peer, region.length());
        if (!shortage.isEmpty()) {
            refuse(peer, region, shortage);
            return new GrantedRegion(region, Set.of(), version, true);
        }
        return new GrantedRegion(region, rights, version, false);
    }

    private void refuse(PeerIdentity peer, CoreRegion region, String why) {
        try (LogScope _ = LogScope.of(owner.nodeName(), owner.label(), "")) {
            LOG.warn(
                    "refused a memory region: endpoint={}, identity={}, region={}, length={} bytes, {}",
                    owner.label(),
                    peer,
                    region.label().isEmpty() ? "(no label)" : region.label(),
                    region.length(),
                    why);
        }
    }

    /** Why the peer has no right to a region, with the exceeded limit and the remedy. */
    String whyNone(CoreRegion region) {
        return decide(region).isOverLimit()
                ? "over its limit: " + access.regionShortage(owner.peerIdentity(), region.length())
                        + "; close regions that this peer uses, or raise the limit"
                : "rights=[]; allow it in security.acl, or in the application's Authorizer";
    }

    /** A region is closed. */
    public void forget(long regionId) {
        if (decided.isEmpty()) {
            return;
        }
        last = null;
        for (Iterator<GrantedRegion> each = decided.values().iterator(); each.hasNext(); ) {
            GrantedRegion granted = each.next();
            if (granted.region().id() == regionId) {
                each.remove();
                giveBack(granted);
            }
        }
    }

    /** The endpoint has ended. */
    public void end() {
        last = null;
        CloseSteps.runAll(() -> CloseSteps.runEach(decided.values(), this::giveBack), decided::clear);
    }

    private void giveBack(GrantedRegion granted) {
        if (!granted.rights().isEmpty()) {
            access.returnRegion(owner.peerIdentity(), granted.region().length());
        }
    }
}
