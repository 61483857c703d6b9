package io.fairlead.node.internal.engine;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MemoryRegion;
import io.fairlead.TransportInfo;
import io.fairlead.Worker;
import io.fairlead.internal.statistics.ContextStatistics;
import io.fairlead.statistics.Statistics;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A context whose workers do what a test says. */
final class FakeContext implements Context {
    final FakeWorker worker = new FakeWorker(this);
    /** One for each progress thread, the first of them {@link #worker}. */
    final List<FakeWorker> workers = new CopyOnWriteArrayList<>();

    final CountDownLatch closed = new CountDownLatch(1);
    private final Statistics statistics = new ContextStatistics(List.of("fake"), 0);
    private final FairleadConfig config;
    private final AtomicInteger workersLeft;

    FakeContext(FairleadConfig config, int workers) {
        this.config = config;
        this.workersLeft = new AtomicInteger(workers);
    }

    @Override
    public Worker newWorker() {
        if (workersLeft.getAndDecrement() <= 0) {
            throw new FairleadException(Reason.LIMIT_REACHED, "no more workers");
        }
        synchronized (workers) {
            FakeWorker made = workers.isEmpty() ? worker : new FakeWorker(this);
            workers.add(made);
            return made;
        }
    }

    @Override
    public MemoryRegion allocate(long length, Set<AccessRight> rights, String label) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemoryRegion register(MemorySegment segment, Set<AccessRight> rights, String label) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Authorizer authorizer() {
        return Authorizer.ALL;
    }

    @Override
    public List<TransportInfo> transports() {
        return List.of();
    }

    @Override
    public long incarnation() {
        return 1;
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
    public void close() {
        closed.countDown();
    }
}
