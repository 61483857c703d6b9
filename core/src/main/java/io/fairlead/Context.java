package io.fairlead;

import io.fairlead.internal.engine.CoreContext;
import io.fairlead.statistics.Statistics;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/**
 * The root of everything: configuration, transports, memory regions, and the workers made from it. Implemented by Fairlead
 * only. Thread-safe.
 */
public interface Context extends AutoCloseable {
    /**
     * Opens a context with the transports that are on the class or module path and that the configuration allows.
     *
     * @param config the configuration
     * @return an open context
     * @throws FairleadException {@code CONFIGURATION} if the configuration names a transport that is not there,
     *     {@code TRANSPORT} if none is available, with the cause of each
     */
    static Context open(FairleadConfig config) {
        return CoreContext.open(config);
    }

    /**
     * Makes a worker that the calling thread owns.
     *
     * @return the worker
     * @throws IllegalStateException if the context is closed
     */
    Worker newWorker();

    /**
     * Allocates memory that peers may reach. The fastest kind of region: the transports place the memory where they want it. Over shared
     * memory each holds a file descriptor of this process until it is closed: that is where peers find it. A process with many regions
     * needs a limit to match (<code>ulimit -n</code>), or one region that it divides up.
     *
     * @param length bytes, 1 and up; beyond 2 GiB where memory allows
     * @param rights what peers may do, not empty
     * @return the region, zero-filled and aligned to 4096 bytes
     * @throws FairleadException {@code REGISTRATION_FAILED} or {@code LIMIT_REACHED}
     */
    MemoryRegion allocate(long length, Set<AccessRight> rights);

    /**
     * Lets peers reach memory of the caller's. On some transports slower than {@link #allocate}.
     *
     * @param segment native memory accessible from any thread and aligned to 8 bytes, alive until the region is closed. Where it is not,
     *     peers are told as if the region were closed, unless a network card serves it, which keeps the pages; a connection on
     *     which an operation is being served at that very moment may fail. Close the region first
     * @param rights what peers may do, not empty
     * @return the region
     * @throws FairleadException {@code REGISTRATION_FAILED} or {@code LIMIT_REACHED}
     * @throws IllegalArgumentException if the segment is not native, read-only with WRITE or ATOMIC asked for, confined to a thread, or unaligned
     */
    MemoryRegion register(MemorySegment segment, Set<AccessRight> rights);

    /**
     * The transports that were found, those that cannot be used included.
     *
     * @return immutable, in order of their names
     */
    List<TransportInfo> transports();

    /**
     * The identity of this context, told to peers; another one each time a context is opened.
     *
     * @return a random number other than 0
     */
    long incarnation();

    /**
     * What this context has counted, for whoever shows it.
     *
     * @return always the same; readable after the close
     */
    Statistics statistics();

    /**
     * The configuration that this context was opened with.
     *
     * @return never changes
     */
    FairleadConfig config();

    /**
     * Closes regions and transports. Idempotent.
     *
     * @throws IllegalStateException if a worker is still open; close the workers first, each on its own thread
     */
    @Override
    void close();
}
