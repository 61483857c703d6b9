package io.fairlead.internal;

import io.fairlead.AccessRight;
import io.fairlead.config.ConfigKeys;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MemoryRegion;
import io.fairlead.statistics.Statistics;
import io.fairlead.TransportInfo;
import io.fairlead.Worker;
import io.fairlead.internal.names.PolicyNames;
import io.fairlead.internal.wire.KeySecret;
import io.fairlead.spi.Availability;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.internal.providers.TransportProviders;
import io.fairlead.spi.TransportSetup;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The engine behind {@link Context}: transports, regions and the list of workers. Thread-safe. */
public final class CoreContext implements Context {
    private static final Logger LOG = LoggerFactory.getLogger(CoreContext.class);
    private static final long REGION_ALIGNMENT = 4096;

    private final FairleadConfig config;
    private final Settings settings;
    private final long incarnation;
    private final KeySecret keySecret = KeySecret.random();
    private final List<TransportInfo> infos;
    private final Map<String, Transport> transports;
    private final Map<String, String> causes;
    /** The best of a class first. */
    private final Map<String, Integer> ranks;

    private final RegionTable regions;
    private final ContextStatistics statistics;
    private final List<CoreWorker> workers = new CopyOnWriteArrayList<>();
    private boolean closed;

    private CoreContext(
            FairleadConfig config,
            long incarnation,
            List<TransportInfo> infos,
            Map<String, Transport> transports,
            Map<String, String> causes,
            Map<String, Integer> ranks) {
        this.config = config;
        this.settings = Settings.of(config);
        this.incarnation = incarnation;
        this.infos = infos;
        this.transports = transports;
        this.causes = causes;
        this.ranks = ranks;
        this.regions = new RegionTable(config.value(ConfigKeys.REGIONS_MAX));
        this.statistics = new ContextStatistics(transports.keySet());
    }

    /**
     * Opens a context with the transports that are present.
     *
     * @param config its configuration
     * @return an open context
     */
    public static Context open(FairleadConfig config) {
        Settings.of(config);
        long incarnation = new SecureRandom().nextLong() | 1;
        Map<String, TransportProvider> present = new TreeMap<>();
        TransportProviders.present().forEach(provider -> present.putIfAbsent(provider.name(), provider));
        Set<String> wanted = wanted(config, present);
        PolicyNames.problem(config.value(ConfigKeys.POLICY), present.keySet()).ifPresent(problem -> {
            throw new FairleadException(Reason.CONFIGURATION, problem + " (" + config.origin(ConfigKeys.POLICY) + ")");
        });
        TransportSetup setup = new TransportSetup(config, incarnation);
        Map<String, Transport> transports = new TreeMap<>();
        Map<String, String> causes = new TreeMap<>();
        Map<String, Integer> ranks = new HashMap<>();
        List<TransportInfo> infos = new ArrayList<>();
        present.forEach((name, provider) -> {
            TransportInfo info = wanted.contains(name)
                    ? open(name, provider, setup, transports)
                    : unavailable(name, "not among the configured transports");
            infos.add(info);
            ranks.put(name, rankOf(name, provider));
            if (!info.available()) {
                causes.put(name, info.cause());
            }
        });
        if (transports.isEmpty()) {
            throw new FairleadException(
                    Reason.TRANSPORT,
                    "no transport is available: "
                            + (causes.isEmpty() ? "none was found; put fairlead-transport-tcp on the path" : causes));
        }
        try {
            return new CoreContext(config, incarnation, List.copyOf(infos), transports, causes, ranks);
        } catch (RuntimeException | Error failure) {
            transports.values().forEach(Transport::close);
            throw failure;
        }
    }

    /** What a broken provider throws makes it the last. */
    private static int rankOf(String name, TransportProvider provider) {
        try {
            return provider.rank();
        } catch (RuntimeException | Error thrown) {
            LOG.warn("the transport {} does not tell its rank", name, thrown);
            return Integer.MAX_VALUE;
        }
    }

    /** Opens one transport. Whatever it throws makes it unavailable, since the others can do without it. */
    private static TransportInfo open(
            String name, TransportProvider provider, TransportSetup setup, Map<String, Transport> opened) {
        Transport transport = null;
        try {
            Availability availability = provider.availability();
            if (!availability.available()) {
                return unavailable(name, availability.cause());
            }
            transport = provider.open(setup);
            TransportInfo info = new TransportInfo(name, transport.version(), true, "", transport.capabilities());
            opened.put(name, transport);
            return info;
        } catch (Throwable thrown) {
            if (transport != null) {
                close(name, transport);
            }
            return unavailable(name, ThrownCause.logged(LOG, "a transport cannot be used", name, thrown));
        }
    }

    private static TransportInfo unavailable(String name, String cause) {
        return new TransportInfo(name, "", false, cause, Set.of());
    }

    private static Set<String> wanted(FairleadConfig config, Map<String, TransportProvider> present) {
        String text = config.value(ConfigKeys.TRANSPORTS);
        if (text.isBlank()) {
            return present.keySet();
        }
        Set<String> names = Set.copyOf(
                Arrays.stream(text.split(",", -1)).map(String::strip).distinct().toList());
        for (String name : names) {
            if (!present.containsKey(name)) {
                throw new FairleadException(
                        Reason.CONFIGURATION,
                        "configured transport was not found: transports=" + text + ", missing=" + name + ", found="
                                + present.keySet() + "; put its module on the path");
            }
        }
        return names;
    }

    /** What the keys of this context's regions are signed with. */
    KeySecret keySecret() {
        return keySecret;
    }

    Settings settings() {
        return settings;
    }

    Map<String, Transport> transportsByName() {
        return transports;
    }

    /** Where a transport stands among those of its class. */
    int rank(String transport) {
        return ranks.getOrDefault(transport, Integer.MAX_VALUE);
    }

    /** Why the transports that are not available are not. */
    Map<String, String> causes() {
        return causes;
    }

    ContextStatistics totals() {
        return statistics;
    }

    RegionTable regions() {
        return regions;
    }

    void forget(CoreWorker worker) {
        workers.remove(worker);
    }

    /** Makes a closed region unreachable: first here, then, as a hint, at the peers. */
    void revoke(CoreRegion region) {
        regions.remove(region.id());
        statistics.regionClosed(region.length());
        workers.forEach(worker -> worker.revoke(region.id()));
    }

    @Override
    public synchronized Worker newWorker() {
        checkOpen();
        CoreWorker worker = CoreWorker.open(this);
        workers.add(worker);
        statistics.open(worker.counterSet());
        return worker;
    }

    @Override
    public synchronized MemoryRegion allocate(long length, Set<AccessRight> rights) {
        checkOpen();
        if (length <= 0) {
            throw new IllegalArgumentException(
                    "region length out of range: length=" + length + ", allowed 1 byte and up");
        }
        Set<AccessRight> granted = granted(rights);
        for (String name : byRank()) {
            RegisteredMemory own = transport(name).allocate(length, granted);
            if (own != null) {
                return openRegion(own.segment(), granted, Map.of(name, own), () -> {});
            }
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment segment = arena.allocate(length, REGION_ALIGNMENT);
            return openRegion(segment, granted, Map.of(), arena::close);
        } catch (OutOfMemoryError shortage) {
            arena.close();
            throw new FairleadException(
                    Reason.REGISTRATION_FAILED,
                    "cannot allocate a memory region: length=" + length + " bytes, cause: " + shortage.getMessage()
                            + "; free memory or ask for less",
                    shortage);
        } catch (RuntimeException failure) {
            arena.close();
            throw failure;
        }
    }

    private List<String> byRank() {
        return transports.keySet().stream()
                .sorted(Comparator.comparingInt(this::rank).thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    @Override
    public synchronized MemoryRegion register(MemorySegment segment, Set<AccessRight> rights) {
        checkOpen();
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
        // Any thread but this one will do for the question; none has to run.
        if (!segment.isAccessibleBy(Thread.ofPlatform().unstarted(() -> {}))) {
            throw new IllegalArgumentException(
                    "a region needs memory of all threads: the segment is confined to one; use Arena.ofShared()");
        }
        return openRegion(segment, granted, Map.of(), () -> {});
    }

    private MemoryRegion openRegion(
            MemorySegment segment, Set<AccessRight> rights, Map<String, RegisteredMemory> already, Runnable free) {
        Map<String, RegisteredMemory> registrations = new LinkedHashMap<>(already);
        long id;
        try {
            id = regions.reserve();
        } catch (FairleadException full) {
            already.values().forEach(RegisteredMemory::close);
            throw full;
        }
        try {
            transports.forEach((name, transport) ->
                    registrations.computeIfAbsent(name, _ -> transport.register(id, segment, rights)));
        } catch (RuntimeException | Error failure) {
            registrations.values().forEach(RegisteredMemory::close);
            regions.remove(id);
            throw failure;
        }
        CoreRegion region = new CoreRegion(this, id, segment, rights, registrations, free);
        regions.open(region);
        statistics.regionOpened(region.length());
        return region;
    }

    private static Set<AccessRight> granted(Set<AccessRight> rights) {
        if (rights.isEmpty()) {
            throw new IllegalArgumentException(
                    "a region needs at least one right: rights=[], of " + Arrays.toString(AccessRight.values()));
        }
        return Collections.unmodifiableSet(EnumSet.copyOf(rights));
    }

    @Override
    public List<TransportInfo> transports() {
        return infos;
    }

    @Override
    public long incarnation() {
        return incarnation;
    }

    @Override
    public Statistics statistics() {
        return statistics;
    }

    @Override
    public FairleadConfig config() {
        return config;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        if (!workers.isEmpty()) {
            throw new IllegalStateException(
                    "context has open workers: count=" + workers.size() + "; close each on its own thread first");
        }
        closed = true;
        regions.all().forEach(MemoryRegion::close);
        transports.forEach(CoreContext::close);
    }

    private static void close(String name, Transport transport) {
        try {
            transport.close();
        } catch (RuntimeException | Error failure) {
            LOG.error("closing a transport failed; transport={}", name, failure);
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("context is closed: incarnation=" + Long.toHexString(incarnation));
        }
    }

    Transport transport(String name) {
        return Objects.requireNonNull(transports.get(name), name);
    }
}
