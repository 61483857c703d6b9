package io.fairlead;

import io.fairlead.internal.engine.CoreContext;
import io.fairlead.statistics.Statistics;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The root object of an application: it holds the configuration, the transports and the memory regions, and creates
 * workers. Implemented by Fairlead only. Thread-safe.
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
     * Creates a worker that the calling thread owns.
     *
     * @return the worker
     * @throws IllegalStateException if the context is closed
     */
    Worker newWorker();

    /**
     * Allocates memory that peers may access. This is the fastest kind of region, because the transport chooses where
     * the memory is. Over shared memory each region holds a file descriptor of this process until it is closed. A
     * process with many regions needs a higher limit (<code>ulimit -n</code>), or one region that it divides.
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
     * @param label identifies the region to an {@link Authorizer} and in a file of rules: one line of at most
     *     {@value MemoryRegion#LABEL_MAX} characters; several regions may share it
     * @return the region
     * @throws FairleadException {@code REGISTRATION_FAILED} or {@code LIMIT_REACHED}
     * @throws IllegalArgumentException if the label is too long or has a control character
     */
    MemoryRegion allocate(long length, Set<AccessRight> rights, String label);

    /**
     * Lets peers access memory of the caller. On some transports it is slower than memory of {@link #allocate}.
     *
     * @param segment native memory accessible from any thread and aligned to 8 bytes. Close the region before the
     *     memory. Otherwise operations of peers end as revoked, or a network card goes on accessing the pages, and the
     *     connection of an operation in progress may fail
     * @param rights what peers may do, not empty
     * @return the region
     * @throws FairleadException {@code REGISTRATION_FAILED} or {@code LIMIT_REACHED}
     * @throws IllegalArgumentException if the segment is not native, read-only with WRITE or ATOMIC asked for, confined to a thread, or unaligned
     */
    default MemoryRegion register(MemorySegment segment, Set<AccessRight> rights) {
        return register(segment, rights, "");
    }

    /**
     * Lets peers access memory of the caller, under a label. As {@link #register(MemorySegment, Set)} otherwise.
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
     * What peers may do, as the file of rules and the application's authorizer decide together. For layers such as
     * publish-subscribe, which call it for their topics.
     *
     * @return never throws; {@link Authorizer#ALL} where nothing was given
     */
    Authorizer authorizer();

    /**
     * The transports that were found, including unavailable ones.
     *
     * @return immutable, in order of their names
     */
    List<TransportInfo> transports();

    /**
     * The identity of this context, which its peers receive. Each opened context has a different one.
     *
     * @return a random number other than 0
     */
    long incarnation();

    /**
     * The counters of this context.
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
     * Closes regions and transports, and workers whose threads have ended, as {@link Worker#close} does. Idempotent. If
     * a thread is inside a call on a region's memory, that memory is freed when the call returns.
     *
     * @throws IllegalStateException if a worker is still open whose thread lives; close the workers first, each on its own thread
     */
    @Override
    void close();
}
