package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Connection;
import io.fairlead.spi.EagerPool;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.InPostWorker;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.WorkerHost;
import java.io.IOException;

/** The endpoints of one worker, and the memory that its peers write to. */
final class ShmWorker implements InPostWorker {
    /** Turns between two looks at the clock, for rings that have waited too long. */
    private static final int TURNS_PER_EXPIRY = 1 << 10;

    private final SharedParts transport;
    private final RingSlots slots;
    private final RingSchedule turns;
    private final LostPeers lost;
    private final EagerPool pool = new EagerPool();
    private final PinnedProcesses processes = new PinnedProcesses();
    private final RingListener rings;
    private final PeerSockets peers;
    private final WorkerParts parts;
    private int turnsLeft = TURNS_PER_EXPIRY;

    /**
     * Creates a worker.
     *
     * @throws FairleadException {@code TRANSPORT} if it cannot listen for its peers' rings
     */
    ShmWorker(SharedParts transport, WorkerHost host) {
        this.transport = transport;
        this.slots = new RingSlots(transport.lifeline());
        this.turns = new RingSchedule(slots);
        this.lost = new LostPeers(transport.lifeline(), host);
        try {
            this.rings = new RingListener(transport.place(), transport.rule());
        } catch (IOException refused) {
            processes.close();
            throw new FairleadException(
                    Reason.TRANSPORT, "memory cannot be shared: cause: " + refused.getMessage(), refused);
        }
        this.peers = new PeerSockets(transport, processes);
        this.parts = new WorkerParts(slots, turns, lost, pool, processes, rings, peers, transport);
    }

    @Override
    public byte[] address() {
        rings.expire();
        return WorkerAddress.encode(
                transport.probe(), rings.token(), rings.id(), transport.place().isFolder());
    }

    @Override
    public TransportEndpoint connect(EndpointHost host, byte[] peerAddress, Connection connection) {
        WorkerAddress peer = WorkerAddress.decode(peerAddress);
        // The transport has checked a connector; a listener's address arrives here first.
        if (peer == null || !peer.isHere()) {
            String refusal =
                    peer == null ? "the peer's shm address is malformed" : "the peer's shm address is not of this host";
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    refusal + ": endpoint=" + host.label() + ", length=" + peerAddress.length + " bytes");
        }
        // Each side passes its ring to the socket of the other one, the listener first.
        return peers.reach(host, peer, (process, socket) -> new ShmEndpoint(parts, host, process, peer, socket));
    }

    @Override
    public boolean takesConnection() {
        return false;
    }

    @Override
    public int progress() {
        if (--turnsLeft == 0) {
            turnsLeft = TURNS_PER_EXPIRY;
            rings.expire();
        }
        return turns.progress() + lost.end();
    }

    @Override
    public boolean arm() {
        rings.expire();
        return turns.tryRest();
    }

    @Override
    public void close() {
        CloseSteps.runAll(rings::close, slots::close, pool::close, processes::close);
    }
}
