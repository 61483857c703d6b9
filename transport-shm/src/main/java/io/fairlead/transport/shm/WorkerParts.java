package io.fairlead.transport.shm;

import io.fairlead.spi.EagerPool;

/**
 * The common parts of a worker's endpoints.
 *
 * @param rings over which peers pass their rings
 * @param peers to which this worker passes its own
 * @param transport what the context's workers have in common
 */
record WorkerParts(
        RingSlots slots,
        RingSchedule turns,
        LostPeers lost,
        EagerPool pool,
        PinnedProcesses processes,
        RingListener rings,
        PeerSockets peers,
        SharedParts transport) {}
