package io.fairlead.spi;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * A transport that a context has opened. It registers memory and creates workers. Thread-safe; its workers are not.
 *
 * <p>A transport moves bytes. The core does everything else: argument checks, limits, credits, matching, life cycle,
 * counters and the delivery of completions. A transport may rely on the following. Ranges are inside their segments.
 * Keys belong to the endpoint and have the rights for the operation. Endpoints are connected. Every call on a worker is
 * on the worker's thread.
 */
public interface Transport extends AutoCloseable {
    /**
     * What this transport can do on this host. The contract suites skip the cases that need more, and check that the set is the declared one.
     *
     * @return the capabilities, which never change
     */
    Set<Capability> capabilities();

    /**
     * The version of the transport, sent in the handshake to the peer's {@link #reach}.
     *
     * @return such as {@code 1.13}, at most 64 bytes in UTF-8
     */
    String version();

    /**
     * Whether this process and a peer reach each other over this transport, by which kind of path, and if not, why.
     * Called on the listening side of a handshake, on the thread of the accepting worker.
     *
     * @param localAddress the {@link TransportWorker#address()} of the accepting worker
     * @param peerVersion the peer's {@link #version()}
     * @param peerAddress the peer's {@link TransportWorker#address()}; untrusted bytes
     * @return a path, or the reason why there is none
     */
    Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress);

    /**
     * Registers memory for access by peers. Called on any thread.
     *
     * @param regionId the core's id of the region, by which {@link EndpointHost#acquireRegion(long)} finds it
     * @param segment native memory, accessible from any thread until the registration is closed
     * @param rights what peers may do with the memory
     * @return the registration, which the core closes
     * @throws io.fairlead.FairleadException {@code REGISTRATION_FAILED} with the cause
     */
    RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights);

    /**
     * Creates a worker, which the calling thread owns from then on.
     *
     * @param host the core's side of the worker
     * @return the worker, which the core closes
     */
    TransportWorker newWorker(WorkerHost host);

    /** Frees all resources of the transport. Called once, after all of its workers and registrations are closed. */
    @Override
    void close();
}
