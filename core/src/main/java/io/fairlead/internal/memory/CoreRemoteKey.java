package io.fairlead.internal.memory;

import io.fairlead.AccessRight;
import io.fairlead.RemoteKey;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A peer's region, bound to the endpoint that unpacked it. */
public final class CoreRemoteKey implements RemoteKey {
    private final EndpointKeys keys;
    final long regionId;
    private final RegionProof region;
    private final long length;
    private final Set<AccessRight> rights;
    /** The rights as bits: a set is slow to query. */
    private final int rightBits;

    private RemoteMemory remote;
    /** The owner serves each operation. */
    private boolean served;
    /**
     * The region's direct access before the owner withdrew rights; held while an operation or the caller uses it, else
     * null.
     */
    private @Nullable RemoteMemory withdrawn;

    private boolean revoked;
    /** No new operation may begin. */
    private boolean closed;
    /**
     * The caller closed it. A key that ended with its endpoint breaks no rule: the post then reports the endpoint's
     * end.
     */
    private boolean closedByCaller;
    /** The caller has the region's memory, and counts as a user until it closes the key. */
    private boolean mapped;
    /** Operations in flight that use the key; the transport's resources are freed when the last has ended. */
    private int users;

    CoreRemoteKey(
            EndpointKeys keys,
            RegionProof region,
            long length,
            Set<AccessRight> rights,
            RemoteMemory remote,
            boolean served) {
        this.keys = keys;
        this.region = region;
        this.regionId = region.regionId();
        this.served = served;
        this.length = length;
        this.rights = Set.copyOf(EnumSet.copyOf(rights));
        this.rightBits = rights.stream().mapToInt(CoreRemoteKey::bit).sum();
        this.remote = remote;
    }

    // The ordinal never leaves the process.
    @SuppressWarnings("EnumOrdinal")
    private static int bit(AccessRight right) {
        return 1 << right.ordinal();
    }

    public RemoteMemory remote() {
        return remote;
    }

    /**
     * The owner has closed the region: no post reaches the transport any more. Its resources are freed once no
     * operation uses them.
     */
    void revoke() {
        revoked = true;
        end();
    }

    /**
     * The owner has withdrawn rights: later operations go to the owner, who decides.
     *
     * @param byOwner the region as served by the owner
     */
    void withdraw(RemoteMemory byOwner) {
        RemoteMemory before = remote;
        remote = byOwner;
        served = true;
        before.withdraw();
        if (users == 0) {
            before.close();
        } else {
            withdrawn = before;
        }
    }

    /** Whether operations may begin and bypass the owner. */
    boolean isUnchecked() {
        return !closed && !served;
    }

    RegionProof region() {
        return region;
    }

    public void acquire() {
        users++;
    }

    public void release() {
        users--;
        if (users == 0 && (closed || withdrawn != null)) {
            free();
        }
    }

    private void free() {
        RemoteMemory before = withdrawn;
        withdrawn = null;
        CloseSteps.runAll(
                () -> {
                    if (before != null) {
                        before.close();
                    }
                },
                () -> {
                    if (closed) {
                        remote.close();
                    }
                });
    }

    /** Ends the key with its endpoint or its region, or at the caller's request. */
    void end() {
        if (!closed) {
            closed = true;
            if (users == 0) {
                remote.close();
            }
        }
    }

    /** Checks the caller's arguments before anything is sent. */
    public void check(KeyUser user, AccessRight right, String operation, long offset, long count) {
        if (!keys.isOf(user)) {
            throw new IllegalArgumentException("remote key belongs to another endpoint: key of " + keys.owner()
                    + ", used on " + user.distinctName() + "; unpack it there");
        }
        if (closedByCaller) {
            throw new IllegalArgumentException(
                    "remote key is closed: endpoint=" + keys.endpointId() + "; unpack it again");
        }
        if ((rightBits & bit(right)) == 0) {
            throw new IllegalArgumentException("remote key lacks " + right + " for " + operation + ": rights=" + rights
                    + "; ask the owner for more");
        }
        if (offset < 0 || count < 0 || offset > length - count) {
            throw new IndexOutOfBoundsException(operation + " exceeds memory region: offset=" + offset + ", length="
                    + count + ", regionLength=" + length + " bytes");
        }
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public Set<AccessRight> rights() {
        return rights;
    }

    @Override
    public boolean isRevoked() {
        return revoked;
    }

    @Override
    public Optional<MemorySegment> mapped() {
        keys.checkThread();
        RemoteMemory reached = mapped && withdrawn != null ? withdrawn : remote;
        MemorySegment memory = mayMap() ? reached.mapped() : null;
        if (memory == null) {
            return Optional.empty();
        }
        if (!mapped) {
            mapped = true;
            acquire();
        }
        return Optional.of(memory);
    }

    private boolean mayMap() {
        return (mapped || !closed) && !closedByCaller && rights.contains(AccessRight.READ);
    }

    @Override
    public void close() {
        keys.checkThread();
        closedByCaller = true;
        keys.forget(this);
        end();
        if (mapped) {
            mapped = false;
            release();
        }
    }
}
