package io.fairlead.spi;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * A transport as one context uses it. Thread-safe; its workers are not.
 *
 * <p>A transport moves bytes. Argument checks, limits, credits, matching, lifecycle, counters and the delivery of completions are
 * the core's. The transport may rely on what it is handed: ranges are inside their segments, keys belong to the endpoint,
 * rights are granted, endpoints are connected, and every call on a worker comes from that worker's thread.
 */
public interface Transport extends AutoCloseable {
    /**
     * What this transport can do here. The contract suites skip what is missing and pin this set.
     *
     * @return never changes
     */
    Set<Capability> capabilities();

    /**
     * The version that peers compare, as the transport wants it compared: {@code 1.13}, {@code 1}.
     *
     * @return at most 64 bytes in UTF-8
     */
    String version();

    /**
     * Judges what a peer offers: whether the two processes can reach each other over this transport, by which kind of path, and why not.
     * Called on the listener's side of a handshake.
     *
     * @param localAddress the {@link TransportWorker#address()} of the worker that accepts
     * @param peerVersion the peer's {@link #version()}
     * @param peerAddress the peer's {@link TransportWorker#address()}; untrusted bytes
     * @return a path, or the reason why there is none
     */
    Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress);

    /**
     * Makes memory reachable for peers.
     *
     * @param regionId the core's id of the region, by which {@link EndpointHost#acquireRegion(long)} finds it
     * @param segment native memory, accessible from any thread until the registration is closed
     * @param rights what peers may do
     * @return the registration
     * @throws io.fairlead.FairleadException {@code REGISTRATION_FAILED}
     */
    RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights);

    /**
     * Makes a worker that the calling thread owns.
     *
     * @param host the core's side of it
     * @return the worker
     */
    TransportWorker newWorker(WorkerHost host);

    /** Frees everything; called once, after every worker and registration of it is closed. */
    @Override
    void close();
}
