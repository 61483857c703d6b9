package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/**
 * An endpoint as UCX has it, made from the peer worker's address, with peer error handling on. It leaves UCX at once when it is closed, or, where it
 * is not connected yet, when UCX has connected it or given it up: a UCX with assertions ends the process where an
 * endpoint is closed whose message to connect waits for room (1.13, {@code ucp_request_send_state_ff}).
 */
final class UcpEndpoint {
    /**
     * Makes the endpoints of one worker.
     *
     * @param worker UCX's
     * @param outgoing what of the worker's waits for room
     * @param errorCallback what UCX calls when it gives a peer up
     */
    record Maker(long worker, OutgoingQueue outgoing, MemorySegment errorCallback) {
        /**
         * Makes an endpoint.
         *
         * @param number what UCX passes to the callback when it gives the peer up; 0 if nobody has to know
         * @param label whose it is, for the failure
         * @throws FairleadException if UCX refuses; it has counted the endpoint all the same
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
    /** Idle turns after which nothing can still be on its way from a peer that is gone. */
    private static final int IDLE_TURNS = 16;

    private final OutgoingQueue outgoing;
    private final long handle;
    /** Not closed for UCX. */
    private boolean lingering;
    /** It is closed after a time even if UCX does not tell that it is connected. */
    private boolean limited;

    private long lingersUntilNs;
    /** UCX has connected it, or has given it up. */
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
     * A flush is under way, whose end is told by {@link #markConnected}. Over RDMA nothing else tells that no message to connect waits any more, and closing the endpoint
     * with one would end the process; so there it is waited for as long as it takes.
     */
    void closeWhenConnected() {
        closeInTime();
        limited = outgoing.byMemory();
    }

    /** Nobody will tell when it is connected. */
    void closeInTime() {
        lingering = true;
        limited = true;
        lingersUntilNs = System.nanoTime() + LINGER_NS;
    }

    /** UCX has connected the endpoint, or has given it up. */
    void markConnected() {
        connected = true;
    }

    /** Closes the endpoint for UCX if it is time to; whether it is closed. After the time it lingers on while anything of the worker's waits for room. */
    boolean tryClose() {
        if (lingering && (connected || (limited && System.nanoTime() - lingersUntilNs >= 0 && outgoing.isEmpty()))) {
            lingering = false;
            Ucp.closeEndpoint(handle);
        }
        return !lingering;
    }

    /** Whether what is still in flight of the closed endpoint will never end by itself. */
    boolean isAbandoned(boolean idle) {
        idleTurns = idle ? idleTurns + 1 : 0;
        return idleTurns > IDLE_TURNS;
    }
}
