package io.fairlead.transport.ucx;

/**
 * The messages of a worker that wait in UCX for capacity in the queues of its peers. UCX does not report them per
 * endpoint, and creates endpoints by itself. But it refuses to be armed while anything waits.
 *
 * <p>A UCX with assertions ends the process if an endpoint or a worker is destroyed while an answer to its connection
 * message waits (1.13, {@code ucp_request_send_state_ff}). If the peer's worker is gone, it waits forever.
 *
 * @param worker the UCX worker
 * @param byMemory all lanes are queues in shared memory; over RDMA such answers end as everything else does
 */
record OutgoingQueue(long worker, boolean byMemory) {
    /** Whether nothing waits. May be false while received messages are unprocessed: progress and call again. */
    boolean isEmpty() {
        return !byMemory || Ucp.arm(worker) != Ucp.BUSY;
    }
}
