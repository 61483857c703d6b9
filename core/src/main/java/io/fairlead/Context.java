package io.fairlead;

import io.fairlead.internal.engine.CoreContext;
import io.fairlead.statistics.Statistics;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
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
        return CoreContext.open(config, null);
    }

    /**
     * Opens a context whose peers may do what an authorizer allows. As {@link #open(FairleadConfig)} otherwise.
     *
     * @param config the configuration; where {@code security.acl} names a file of rules too, peers may do what both allow
     * @param authorizer decides what peers may do
     * @return an open context
     * @throws FairleadException as {@link #open(FairleadConfig)}
     */
    static Context open(FairleadConfig config, Authorizer authorizer) {
        return CoreContext.open(config, Objects.requireNonNull(authorizer, "authorizer"));
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
    default MemoryRegion allocate(long length, Set<AccessRight> rights) {
        return allocate(length, rights, "");
    }

    /**
     * Allocates memory that peers may access, under a label. As {@link #allocate(long, Set)} otherwise.
     *
     * @param length bytes
     * @param rights what peers may do, not empty
     * @param label what an {@link Authorizer} and a file of rules know the region by, one line of at most {@value MemoryRegion#LABEL_MAX} characters; several regions may have the same
     * @return the region
     * @throws FairleadException {@code REGISTRATION_FAILED} or {@code LIMIT_REACHED}
     * @throws IllegalArgumentException if the label is too long or has a control character
     */
    MemoryRegion allocate(long length, Set<AccessRight> rights, String label);

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
    default MemoryRegion register(MemorySegment segment, Set<AccessRight> rights) {
        return register(segment, rights, "");
    }

    /**
     * Lets peers access memory of the caller's, under a label. As {@link #register(MemorySegment, Set)} otherwise.
     *
     * @param segment native memory accessible from any thread and aligned to 8 bytes
     * @param rights what peers may do, not empty
     * @param label as in {@link #allocate(long, Set, String)}
     * @return the region
     * @throws FairleadException {@code REGISTRATION_FAILED} or {@code LIMIT_REACHED}
     * @throws IllegalArgumentException as {@link #register(MemorySegment, Set)}, or if the label is too long or has a control character
     */
    MemoryRegion register(MemorySegment segment, Set<AccessRight> rights, String label);

    /**
     * Decides what peers may do: the file of rules and the application's authorizer together. For layers such as publish-subscribe, which ask it about topics.
     *
     * @return never throws; {@link Authorizer#ALL} where nothing was given
     */
    Authorizer authorizer();

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
     * Closes regions and transports, and workers whose threads have ended, as {@link Worker#close} does. Idempotent. Memory of regions that a thread is inside a
     * call on is freed when that call returns.
     *
     * @throws IllegalStateException if a worker is still open whose thread lives; close the workers first, each on its own thread
     */
    @Override
    void close();
}
