package io.fairlead.internal.memory;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MemoryRegion;
import io.fairlead.internal.access.ContextAccess;
import io.fairlead.internal.statistics.ContextStatistics;
import io.fairlead.internal.transports.OpenTransports;
import io.fairlead.spi.AllocatingTransport;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.DeferredClose;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.host.AvailableMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates the regions of one context, registers them with its transports, and revokes them. Thread-safe. */
public final class RegionRegistry {
    private static final long REGION_ALIGNMENT = 4096;
    /** Transports add to a length and round it up; the sum still fits into a long. */
    private static final long LENGTH_MAX = 1L << 48;
    /** Held while memory is reserved, by all contexts of the process. */
    private static final Object RESERVING = new Object();

    private final SecureRandom random = new SecureRandom();
    private final long incarnation;
    private final KeySecret keySecret = KeySecret.random();
    private final OpenTransports transports;
    private final RegionTable regions;
    private final ContextStatistics statistics;
    private final ContextAccess access;
    private final LongConsumer revoked;
    /**
     * Regions are created under the read lock, which many threads may hold, and the registry closes under the write
     * lock.
     */
    private final ReadWriteLock life = new ReentrantReadWriteLock();

    private boolean closed;

    /**
     * Creates a registry without regions.
     *
     * @param incarnation the identity of the context, which its keys carry
     * @param regionsMax the maximum number of open regions
     * @param statistics counts the regions
     * @param access the rights of peers
     * @param revoked notified of the id of each closed region, on the closing thread
     */
    public RegionRegistry(
            long incarnation,
            int regionsMax,
            OpenTransports transports,
            ContextStatistics statistics,
            ContextAccess access,
            LongConsumer revoked) {
        this.incarnation = incarnation;
        this.regions = new RegionTable(regionsMax);
        this.transports = transports;
        this.statistics = statistics;
        this.access = access;
        this.revoked = revoked;
    }

    /** The open regions by id. */
    public RegionTable table() {
        return regions;
    }

    /** The secret that signs the keys of these regions. */
    public KeySecret keySecret() {
        return keySecret;
    }

    /** Whether peers may get fewer rights to a region than it has. */
    boolean restrictsRegions() {
        return access.restrictsRegions();
    }

    long incarnation() {
        return incarnation;
    }

    /** Makes a closed region unreachable: first here, then, as a hint, at the peers. */
    void revoke(CoreRegion region) {
        regions.remove(region.id());
        statistics.regionClosed(region.length());
        revoked.accept(region.id());
    }

    /**
     * Allocates memory of the transport that the policy names, else of the best one, if that has its own allocation;
     * otherwise of the JVM. This takes long for much memory, but only {@link #close} waits for it.
     */
    public MemoryRegion allocate(long length, Set<AccessRight> rights, String label) {
        return whileOpen(() -> allocateNow(length, rights, label));
    }

    private MemoryRegion allocateNow(long length, Set<AccessRight> rights, String label) {
        if (length <= 0) {
            throw new IllegalArgumentException(
                    "region length out of range: length=" + length + ", allowed 1 byte and up");
        }
        if (length > LENGTH_MAX) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "region is too long: length=" + length + " bytes, limit=" + LENGTH_MAX
                            + " bytes, as much as a process can address; ask for less");
        }
        Set<AccessRight> granted = granted(rights);
        for (String name : transports.byPreference()) {
            RegisteredMemory own = transports.transport(name) instanceof AllocatingTransport allocating
                    ? reserve(() -> allocating.allocate(length, granted))
                    : null;
            if (own != null) {
                return openRegion(own.segment(), granted, label, Map.of(name, own), () -> {});
            }
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment segment = reserve(() -> allocate(arena, length));
            return openRegion(segment, granted, label, Map.of(), () -> DeferredClose.close(arena));
        } catch (RuntimeException | Error failure) {
            arena.close();
            throw failure;
        }
    }

    /** Reserves memory after earlier reservations of this process have been made, so that none is counted twice. */
    private static <T extends @Nullable Object> T reserve(Supplier<T> memory) {
        synchronized (RESERVING) {
            return memory.get();
        }
    }

    /**
     * The JVM zeroes the memory, so it is allocated now: the kernel would kill the process if there were too little.
     */
    private static MemorySegment allocate(Arena arena, long length) {
        Optional<String> shortage = AvailableMemory.here().shortage(length);
        if (shortage.isPresent()) {
            throw noMemory(length, shortage.get(), null);
        }
        try {
            return arena.allocate(length, REGION_ALIGNMENT);
        } catch (OutOfMemoryError none) {
            throw noMemory(length, String.valueOf(none.getMessage()), none);
        }
    }

    private static FairleadException noMemory(long length, String shortage, @Nullable Throwable cause) {
        String message = "cannot allocate a memory region: length=" + length + " bytes, cause: " + shortage
                + "; free memory, raise its limit, or ask for less";
        return cause == null
                ? new FairleadException(Reason.REGISTRATION_FAILED, message)
                : new FairleadException(Reason.REGISTRATION_FAILED, message, cause);
    }

    /** Creates a region of memory of the caller. */
    public MemoryRegion register(MemorySegment segment, Set<AccessRight> rights, String label) {
        return whileOpen(() -> registerNow(segment, rights, label));
    }

    private MemoryRegion whileOpen(Supplier<MemoryRegion> made) {
        life.readLock().lock();
        try {
            if (closed) {
                throw new IllegalStateException("context is closed: incarnation=" + Long.toHexString(incarnation));
            }
            return made.get();
        } finally {
            life.readLock().unlock();
        }
    }

    private MemoryRegion registerNow(MemorySegment segment, Set<AccessRight> rights, String label) {
        Set<AccessRight> granted = granted(rights);
        if (!segment.isNative() || segment.byteSize() == 0) {
            throw new IllegalArgumentException("a region needs native memory: native=" + segment.isNative()
                    + ", length=" + segment.byteSize() + " bytes; allocate it from a shared Arena");
        }
        if (segment.address() % Long.BYTES != 0) {
            throw new IllegalArgumentException("a region needs aligned memory: address=0x"
                    + Long.toHexString(segment.address()) + ", must be a multiple of " + Long.BYTES + " bytes");
        }
        if (segment.isReadOnly() && (granted.contains(AccessRight.WRITE) || granted.contains(AccessRight.ATOMIC))) {
            throw new IllegalArgumentException(
                    "a read-only segment cannot be written by peers: rights=" + granted + "; ask for READ alone");
        }
        // Any other thread serves for this check; it need not run.
        if (!segment.isAccessibleBy(Thread.ofPlatform().unstarted(() -> {}))) {
            throw new IllegalArgumentException(
                    "a region needs memory of all threads: the segment is confined to one; use Arena.ofShared()");
        }
        return openRegion(segment, granted, label, Map.of(), () -> {});
    }

    /** Registers memory with one transport after the other, and one region after the other. */
    private synchronized MemoryRegion openRegion(
            MemorySegment segment,
            Set<AccessRight> rights,
            String label,
            Map<String, RegisteredMemory> already,
            Runnable free) {
        Map<String, RegisteredMemory> registrations = new LinkedHashMap<>(already);
        long id;
        try {
            id = regions.reserve();
        } catch (FairleadException full) {
            CloseSteps.runEach(already.values(), RegisteredMemory::close);
            throw full;
        }
        try {
            transports
                    .byName()
                    .forEach((name, transport) ->
                            registrations.computeIfAbsent(name, _ -> transport.register(id, segment, rights)));
        } catch (RuntimeException | Error failure) {
            undo(failure, () -> CloseSteps.runEach(registrations.values(), RegisteredMemory::close));
            regions.remove(id);
            throw failure;
        }
        RegionProof proof = new RegionProof(id, random.nextLong(), random.nextLong());
        CoreRegion region = new CoreRegion(this, proof, segment, rights, label, registrations, free);
        regions.open(region);
        statistics.regionOpened(region.length());
        return region;
    }

    /** The caller must see the original failure. */
    private static void undo(Throwable failure, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error further) {
            failure.addSuppressed(further);
        }
    }

    private static Set<AccessRight> granted(Set<AccessRight> rights) {
        if (rights.isEmpty()) {
            throw new IllegalArgumentException(
                    "a region needs at least one right: rights=[], of " + Arrays.toString(AccessRight.values()));
        }
        return Collections.unmodifiableSet(EnumSet.copyOf(rights));
    }

    /** Checks that a label fits a line of the log. */
    public static String checkLabel(String label) {
        Objects.requireNonNull(label, "label");
        if (label.length() > MemoryRegion.LABEL_MAX) {
            throw new IllegalArgumentException("label of a region is too long: length=" + label.length() + ", at most "
                    + MemoryRegion.LABEL_MAX + " characters");
        }
        if (label.chars().anyMatch(c -> Character.isISOControl(c) || c == '\u2028' || c == '\u2029')) {
            throw new IllegalArgumentException("label of a region has a control character");
        }
        return label;
    }

    /** Closes every region, and creates no more. Waits for those being created. */
    public void close() {
        life.writeLock().lock();
        try {
            closed = true;
        } finally {
            life.writeLock().unlock();
        }
        CloseSteps.runEach(regions.all(), MemoryRegion::close);
    }
}
