package io.fairlead.internal.memory;

import io.fairlead.AccessRight;
import io.fairlead.Endpoint;
import io.fairlead.MemoryRegion;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.LocalRegion;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RegisteredMemory;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Memory that peers may access, registered with every transport of the context. */
public final class CoreRegion implements MemoryRegion, LocalRegion {
    /** Set in {@link #users} once the region is closed. */
    private static final int CLOSED = Integer.MIN_VALUE;

    private final RegionRegistry registry;
    private final RegionProof proof;
    private final MemorySegment segment;
    private final Set<AccessRight> rights;
    private final String label;
    private final Map<String, RegisteredMemory> registrations;
    /** Frees memory that the core allocated; does nothing for a caller's memory. */
    private final Runnable free;
    /** The number of operations being served on the memory, and whether it is closed. */
    private final AtomicInteger users = new AtomicInteger();

    CoreRegion(
            RegionRegistry registry,
            RegionProof proof,
            MemorySegment segment,
            Set<AccessRight> rights,
            String label,
            Map<String, RegisteredMemory> registrations,
            Runnable free) {
        this.registry = registry;
        this.proof = proof;
        this.segment = segment;
        this.rights = rights;
        this.label = label;
        this.registrations = registrations;
        this.free = free;
    }

    long id() {
        return proof.regionId();
    }

    /** Whether a proof contains the random bits of the region's key; the time does not depend on the wrong bits. */
    boolean isProvedBy(RegionProof shown) {
        return ((shown.regionId() ^ proof.regionId()) | (shown.high() ^ proof.high()) | (shown.low() ^ proof.low()))
                == 0;
    }

    /** Keeps the memory from being freed; false once the region, or the caller's memory, is closed. */
    public boolean acquire() {
        if (!segment.scope().isAlive()) {
            return false;
        }
        int now = users.get();
        while (now >= 0) {
            if (users.compareAndSet(now, now + 1)) {
                return true;
            }
            now = users.get();
        }
        return false;
    }

    @Override
    public void release() {
        users.getAndDecrement();
    }

    @Override
    public boolean allows(AccessRight right) {
        return rights.contains(right);
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    @Override
    public Set<AccessRight> rights() {
        return rights;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public byte[] packedKey() {
        // The holder of the key is unknown here. Each operation must be checked if peers have different rights.
        Map<String, byte[]> keys = keys(registry.restrictsRegions());
        return new PackedKey(registry.incarnation(), proof, length(), rights, keys).encode(registry.keySecret());
    }

    @Override
    public byte[] packedKey(Endpoint endpoint) {
        if (!(endpoint instanceof KeyUser user) || user.ownIncarnation() != registry.incarnation()) {
            throw new IllegalArgumentException("endpoint is not of the region's context: endpoint=" + endpoint
                    + "; pack the key for one of its own");
        }
        user.checkThread();
        return user.issue(id());
    }

    /**
     * The data for the peer of an endpoint over a transport, or null if the transport cannot offer the wanted access.
     */
    byte @Nullable [] transportKey(String transport, boolean served) {
        RegisteredMemory registration = registrations.get(transport);
        if (registration == null) {
            return null;
        }
        return served ? registration.servedKey() : registration.key();
    }

    /** Packs a key that the caller seals. */
    byte[] pack(Set<AccessRight> granted, Map<String, byte[]> keys) {
        return new PackedKey(registry.incarnation(), new RegionProof(id(), 0, 0), length(), granted, keys)
                .encode(registry.keySecret());
    }

    private Map<String, byte[]> keys(boolean served) {
        Map<String, byte[]> keys = new LinkedHashMap<>();
        registrations.forEach((transport, registration) -> {
            byte[] key = served ? registration.servedKey() : registration.key();
            if (key != null) {
                keys.put(transport, key);
            }
        });
        return keys;
    }

    @Override
    public void close() {
        int before = users.getAndUpdate(now -> now | CLOSED);
        if (before < 0) {
            return;
        }
        CloseSteps.runAll(
                () -> registry.revoke(this),
                this::awaitUsers,
                () -> CloseSteps.runEach(registrations.values(), RegisteredMemory::close),
                free);
    }

    private void awaitUsers() {
        // A transport serves an operation for microseconds and releases before its progress returns, so this wait is
        // short. It yields because the serving thread may need this processor.
        while (users.get() != CLOSED) {
            Thread.yield();
        }
    }
}
