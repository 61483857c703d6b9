package io.fairlead.transport.ucx;

import java.util.List;

/**
 * The shared parts of one worker's endpoints.
 *
 * @param requests the UCX requests
 * @param messages the pool of transport messages
 * @param unmatched the application's messages without a matching receive in UCX
 * @param batches the endpoints that have sent in this turn, and whose batches leave with the next progress
 * @param copies the endpoints with long copies to mapped memory
 * @param kept the unmatched messages that UCX does not keep
 * @param wireUps the parts of the wire-ups
 * @param mayMap whether this process maps regions of peers of this host
 * @param leaving the endpoints that leave UCX, or have left and have something to do
 */
record WorkerParts(
        UcxRequests requests,
        MessagePool messages,
        UnmatchedMessages unmatched,
        DueParts batches,
        DueParts copies,
        KeptMessages kept,
        WireUpParts wireUps,
        boolean mayMap,
        List<LeavableLanes> leaving) {}
