package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/**
 * A UCX endpoint, created from the peer worker's address, with peer error handling. UCX closes it at once, or, if it is
 * not connected yet, when UCX has connected it or given up. A UCX with assertions ends the process if an endpoint is
 * closed whose connection message waits for capacity (1.13, {@code ucp_request_send_state_ff}).
 */
final class UcpEndpoint {
    /**
     * Creates the endpoints of one worker.
     *
     * @param worker the UCX worker
     * @param outgoing the worker's messages that wait for capacity
     * @param errorCallback called by UCX when it gives a peer up
     */
    record Maker(long worker, OutgoingQueue outgoing, MemorySegment errorCallback) {
        /**
         * Creates an endpoint.
         *
         * @param number the callback's argument when UCX gives the peer up; 0 for no notification
         * @param label the endpoint's label, for the failure
         * @throws FairleadException if UCX refuses; it has counted the endpoint anyway
         */
        UcpEndpoint make(byte[] peerAddress, int number, String label) {
            long handle = Ucp.createEndpoint(worker, peerAddress, errorCallback, number);
            if (Ucp.isError(handle)) {
                throw new FairleadException(
                        Reason.TRANSPORT,
                        "ucp_ep_create failed: endpoint=" + label + ", cause: " + UcxStatus.text((byte) handle));
            }
            return new UcpEndpoint(outgoing, handle);
        }
    }

    private static final long LINGER_NS = TimeUnit.SECONDS.toNanos(1);
    /** Idle turns after which nothing can still arrive from a peer that is gone. */
    private static final int IDLE_TURNS = 16;

    private final OutgoingQueue outgoing;
    private final long handle;
    /** Not closed in UCX. */
    private boolean lingering;
    /** It is closed after a timeout even if UCX does not report it as connected. */
    private boolean limited;

    private long lingersUntilNs;
    /** UCX has connected it, or has given up. */
    private boolean connected;

    private int idleTurns;

    private UcpEndpoint(OutgoingQueue outgoing, long handle) {
        this.outgoing = outgoing;
        this.handle = handle;
    }

    long handle() {
        return handle;
    }

    void close() {
        Ucp.closeEndpoint(handle);
    }

    /**
     * A flush is in progress, whose end calls {@link #markConnected}. Over RDMA nothing else shows that no connection
     * message waits any more, and closing the endpoint with one would end the process. So there is no timeout there.
     */
    void closeWhenConnected() {
        closeInTime();
        limited = outgoing.byMemory();
    }

    /** No notification of the connection will come. */
    void closeInTime() {
        lingering = true;
        limited = true;
        lingersUntilNs = System.nanoTime() + LINGER_NS;
    }

    /** UCX has connected the endpoint, or has given up. */
    void markConnected() {
        connected = true;
    }

    /**
     * Closes the endpoint in UCX if it may be closed; returns whether it is closed. After the timeout it lingers while
     * anything of the worker waits for capacity.
     */
    boolean tryClose() {
        if (lingering && (connected || (limited && System.nanoTime() - lingersUntilNs >= 0 && outgoing.isEmpty()))) {
            lingering = false;
            Ucp.closeEndpoint(handle);
        }
        return !lingering;
    }

    /** Whether the closed endpoint's requests in flight will never end by themselves. */
    boolean isAbandoned(boolean idle) {
        idleTurns = idle ? idleTurns + 1 : 0;
        return idleTurns > IDLE_TURNS;
    }
}
