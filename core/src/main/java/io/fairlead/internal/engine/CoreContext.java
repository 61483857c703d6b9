package io.fairlead.internal.engine;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.MemoryRegion;
import io.fairlead.TransportInfo;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.access.ContextAccess;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.liveness.HostWatch;
import io.fairlead.internal.memory.KeySecret;
import io.fairlead.internal.memory.RegionRegistry;
import io.fairlead.internal.memory.RegionTable;
import io.fairlead.internal.statistics.ContextStatistics;
import io.fairlead.internal.tls.ContextSecurity;
import io.fairlead.internal.transports.OpenTransports;
import io.fairlead.spi.CloseSteps;
import io.fairlead.statistics.Statistics;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The engine behind {@link Context}: transports, regions and the list of workers. Thread-safe. */
public final class CoreContext implements Context {
    private final FairleadConfig config;
    private final Settings settings;
    private final long incarnation;
    private final Failover.Names resumable = new Failover.Names();
    private final ContextSecurity security;
    private final ContextAccess access;
    private final OpenTransports transports;
    private final ContextStatistics statistics;
    private final RegionRegistry regions;
    private final HostWatch hosts;
    private final List<CoreWorker> workers = new CopyOnWriteArrayList<>();
    private boolean closed;

    private CoreContext(
            FairleadConfig config,
            Settings settings,
            long incarnation,
            ContextSecurity security,
            ContextAccess access,
            OpenTransports transports) {
        this.config = config;
        this.settings = settings;
        this.incarnation = incarnation;
        this.security = security;
        this.access = access;
        this.transports = transports;
        this.statistics =
                new ContextStatistics(transports.byName().keySet(), config.value(ConfigKeys.METRICS_IDENTITIES_MAX));
        this.regions = new RegionRegistry(
                incarnation, config.value(ConfigKeys.REGIONS_MAX), transports, statistics, access, this::revoke);
        this.hosts = new HostWatch(settings.name(), settings.livenessNs());
        access.onChange(() -> workers.forEach(worker -> worker.enqueue(worker.connections()::reviewPeers)));
    }

    /**
     * Opens a context with the transports on the path.
     *
     * @param config its configuration
     * @param authorizer decides what peers may do, in addition to a file of rules; null for none
     * @return an open context
     */
    public static Context open(FairleadConfig config, @Nullable Authorizer authorizer) {
        Settings settings = Settings.of(config);
        long incarnation = new SecureRandom().nextLong() | 1;
        ContextSecurity security = ContextSecurity.open(config);
        ContextAccess access = null;
        OpenTransports transports = null;
        try {
            access = ContextAccess.open(config, authorizer);
            transports = OpenTransports.open(config, incarnation);
            return new CoreContext(config, settings, incarnation, security, access, transports);
        } catch (RuntimeException | Error failure) {
            OpenTransports opened = transports;
            ContextAccess made = access;
            try {
                CloseSteps.runAll(
                        () -> {
                            if (opened != null) {
                                opened.close();
                            }
                        },
                        () -> {
                            if (made != null) {
                                made.close();
                            }
                        },
                        security::close);
            } catch (RuntimeException | Error further) {
                failure.addSuppressed(further);
            }
            throw failure;
        }
    }

    /** The connections that can be resumed on another socket, of all workers. */
    Failover.Names resumable() {
        return resumable;
    }

    /** How connections are secured. */
    ContextSecurity security() {
        return security;
    }

    /** What peers may do. */
    ContextAccess access() {
        return access;
    }

    @Override
    public Authorizer authorizer() {
        return access.authorizer();
    }

    /** The secret that signs the keys of this context's regions. */
    KeySecret keySecret() {
        return regions.keySecret();
    }

    /** Checks whether the hosts of idle peers are alive. */
    HostWatch hosts() {
        return hosts;
    }

    Settings settings() {
        return settings;
    }

    OpenTransports openTransports() {
        return transports;
    }

    ContextStatistics totals() {
        return statistics;
    }

    RegionTable regions() {
        return regions.table();
    }

    void forget(CoreWorker worker) {
        workers.remove(worker);
    }

    private void revoke(long regionId) {
        workers.forEach(worker -> worker.revoke(regionId));
    }

    @Override
    public synchronized Worker newWorker() {
        checkOpen();
        CoreWorker worker = CoreWorker.open(this);
        workers.add(worker);
        statistics.open(worker.statistics());
        return worker;
    }

    @Override
    public MemoryRegion allocate(long length, Set<AccessRight> rights, String label) {
        return regions.allocate(length, rights, RegionRegistry.checkLabel(label));
    }

    @Override
    public MemoryRegion register(MemorySegment segment, Set<AccessRight> rights, String label) {
        return regions.register(segment, rights, RegionRegistry.checkLabel(label));
    }

    @Override
    public List<TransportInfo> transports() {
        return transports.infos();
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
        workers.forEach(CoreWorker::closeIfAbandoned);
        if (!workers.isEmpty()) {
            throw new IllegalStateException(
                    "context has open workers: count=" + workers.size() + "; close each on its own thread first");
        }
        closed = true;
        CloseSteps.runAll(hosts::close, regions::close, transports::close, access::close, security::close);
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("context is closed: incarnation=" + Long.toHexString(incarnation));
        }
    }
}
