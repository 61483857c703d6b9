package io.fairlead;

import io.fairlead.internal.engine.CoreContext;
import io.fairlead.statistics.Statistics;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/**
 * What an application opens first: it holds the configuration, the transports and the memory regions, and makes workers. Implemented
 * by Fairlead only. Thread-safe.
 */
public interface Context extends AutoCloseable {
    /**
     * Opens a context with the transports that are on the class or module path and that the configuration allows.
     *
     * @param config the configuration
     * @return an open context
     * @throws FairleadException {@code CONFIGURATION} if the configuration names a transport that does not exist, {@code TRANSPORT} if
     *     no transport is available, with the cause of each
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
     * Allocates memory that peers may access. This is the fastest kind of region, because the transports choose where the memory is.
     * With shared memory each region holds a file descriptor of this process until it is closed, by which peers find the memory. A
     * process with many regions needs a higher limit (<code>ulimit -n</code>), or one region that it divides up.
     *
     * @param length bytes, 1 and up; beyond 2 GiB where memory allows
     * @param rights what peers may do, not empty
     * @return the region, zero-filled and aligned to 4096 bytes
     * @throws FairleadException {@code REGISTRATION_FAILED} or {@code LIMIT_REACHED}
     */
    MemoryRegion allocate(long length, Set<AccessRight> rights);

    /**
     * Lets peers access memory of the caller's. On some transports it is slower than memory of {@link #allocate}.
     *
     * @param segment native memory accessible from any thread and aligned to 8 bytes. Close the region before the memory: otherwise
     *     peers are told that the region is closed, or, where a network card serves it, go on to access its pages, and a connection on
     *     which an operation is being served may fail
     * @param rights what peers may do, not empty
     * @return the region
     * @throws FairleadException {@code REGISTRATION_FAILED} or {@code LIMIT_REACHED}
     * @throws IllegalArgumentException if the segment is not native, read-only with WRITE or ATOMIC asked for, confined to a thread, or unaligned
     */
    MemoryRegion register(MemorySegment segment, Set<AccessRight> rights);

    /**
     * The transports that were found, including those that cannot be used.
     *
     * @return immutable, in order of their names
     */
    List<TransportInfo> transports();

    /**
     * The identity of this context, which its peers know. Each context that is opened has another.
     *
     * @return a random number other than 0
     */
    long incarnation();

    /**
     * What this context has counted.
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
