package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Connection;
import io.fairlead.spi.EagerPool;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.InPostWorker;
import io.fairlead.spi.TransportEndpoint;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import org.jspecify.annotations.Nullable;

/** The endpoints of one worker, and the memory that its peers write to. */
final class ShmWorker implements InPostWorker {
    private final ReachProbe probe;
    private final boolean mayRead;
    private final RingSlots slots = new RingSlots();
    private final RingSchedule turns = new RingSchedule(slots);
    private final EagerPool pool = new EagerPool();
    private final PinnedProcesses processes = new PinnedProcesses();
    private final ShmEndpoint.Parts parts;

    /**
     * Creates a worker.
     *
     * @param probe the word that peers try to access
     * @param mayRead whether long messages are to be read from their sender's memory
     * @param singleCopy whether this side lets peers read shorter ones too
     */
    ShmWorker(ReachProbe probe, boolean mayRead, boolean singleCopy) {
        this.probe = probe;
        this.mayRead = mayRead;
        this.parts = new ShmEndpoint.Parts(slots, turns, pool, processes, singleCopy);
    }

    @Override
    public byte[] address() {
        return WorkerAddress.encode(probe);
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
        PinnedProcess process = mayRead ? pinReadable(host, peer) : null;
        try {
            return new ShmEndpoint(parts, host, peer.process(), process);
        } catch (RuntimeException | Error failure) {
            processes.release(process);
            throw failure;
        }
    }

    /** The peer's process, if its memory is readable; pinned before the try, so no later process of its id is read. */
    private @Nullable PinnedProcess pinReadable(EndpointHost host, WorkerAddress peer) {
        PinnedProcess process = processes.acquire(peer.process());
        boolean readable = false;
        try {
            readable =
                    process != null && ReachProbe.read(process, peer.probeAddress(), ReachProbe.map(peer.probe())) == 0;
            return readable ? process : null;
        } catch (IOException closed) {
            throw new FairleadException(
                    Reason.TRANSPORT,
                    "the peer's memory cannot be mapped: endpoint=" + host.label() + ", cause: " + closed.getMessage()
                            + (closed instanceof AccessDeniedException ? "" : "; connect again if the peer has ended"),
                    closed);
        } finally {
            if (!readable) {
                processes.release(process);
            }
        }
    }

    @Override
    public boolean takesConnection() {
        return false;
    }

    @Override
    public int progress() {
        return turns.progress();
    }

    @Override
    public boolean arm() {
        return turns.tryRest();
    }

    @Override
    public void close() {
        CloseSteps.runAll(slots::close, pool::close, processes::close);
    }
}
