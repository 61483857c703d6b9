package io.fairlead.transport.ucx;

/**
 * What of a worker waits in UCX for room in the queues of its peers. UCX does not tell for each endpoint, and knows of endpoints that nobody here has asked
 * for; but it does not let the worker sleep while anything waits.
 *
 * <p>A UCX with assertions ends the process where an endpoint or a worker is destroyed of which an answer to a message to connect waits (1.13,
 * {@code ucp_request_send_state_ff}). Where the peer's worker is gone it waits for ever.
 *
 * @param worker UCX's
 * @param byMemory all lanes are queues in shared memory; over RDMA such answers are ended as all else is
 */
record OutgoingQueue(long worker, boolean byMemory) {
    /** Whether nothing waits. May say no while something has arrived: progress and ask again. */
    boolean isEmpty() {
        return !byMemory || Ucp.arm(worker) != Ucp.BUSY;
    }
}
