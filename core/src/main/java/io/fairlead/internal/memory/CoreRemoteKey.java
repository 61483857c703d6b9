package io.fairlead.internal.memory;

import io.fairlead.AccessRight;
import io.fairlead.RemoteKey;
import io.fairlead.spi.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** A peer's region, bound to the endpoint that unpacked it. */
public final class CoreRemoteKey implements RemoteKey {
    private final EndpointKeys keys;
    final long regionId;
    private final long length;
    private final Set<AccessRight> rights;
    /** The same, a bit each: a set is slow to ask. */
    private final int rightBits;

    private final RemoteMemory remote;
    private boolean revoked;
    /** No operation may begin any more. */
    private boolean closed;
    /** It was the caller who closed it. A key that ended with its endpoint breaks no rule: the post tells of the endpoint's end. */
    private boolean closedByCaller;
    /** The caller has the region's memory, and counts as a user until it closes the key. */
    private boolean mapped;
    /** Operations in flight that use the key; what the transport holds is freed when the last has ended. */
    private int users;

    CoreRemoteKey(EndpointKeys keys, long regionId, long length, Set<AccessRight> rights, RemoteMemory remote) {
        this.keys = keys;
        this.regionId = regionId;
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

    /** The owner has closed the region: no post reaches the transport any more, and what it holds is freed as soon as no operation uses it. */
    void revoke() {
        revoked = true;
        end();
    }

    public void acquire() {
        users++;
    }

    public void release() {
        users--;
        if (users == 0 && closed) {
            remote.close();
        }
    }

    /** Ends the key with its endpoint or its region, or on the caller's wish. */
    void end() {
        if (!closed) {
            closed = true;
            if (users == 0) {
                remote.close();
            }
        }
    }

    /** Checks what the caller must get right before anything leaves this process. */
    public void check(EndpointKeys user, AccessRight right, String operation, long offset, long count) {
        if (user != keys) {
            throw new IllegalArgumentException("remote key belongs to another endpoint: key of " + keys.owner()
                    + ", used on " + user.owner() + "; unpack it there");
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
        MemorySegment memory = mayMap() ? remote.mapped() : null;
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
