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
import org.jspecify.annotations.Nullable;

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
    private final ShmEndpoint.Parts parts;
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
        this.parts = new ShmEndpoint.Parts(slots, turns, lost, pool, processes, rings, transport);
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
        if (peer.isInFolder() != transport.place().isFolder()) {
            throw noPath(host, SharedMemory.elsewhere(transport.place().isFolder(), here(host), there(host)));
        }
        // Each side passes its ring to the socket of the other one, the listener first.
        try (LocalSocket socket = transport.place().connect(peer.socket())) {
            return open(host, peer, socket);
        } catch (LocalSocket.RefusedException refused) {
            throw new FairleadException(
                    Reason.TRANSPORT, noPathText(host, SharedMemory.unreachable(there(host), refused)), refused);
        } catch (IOException refused) {
            throw new FairleadException(
                    Reason.TRANSPORT,
                    noPathText(host, "cause: " + refused.getMessage() + "; connect again if the peer has ended"),
                    refused);
        }
    }

    private static String here(EndpointHost host) {
        return host.isConnector() ? "connector" : "listener";
    }

    private static String there(EndpointHost host) {
        return host.isConnector() ? "listener" : "connector";
    }

    private static FairleadException noPath(EndpointHost host, String why) {
        return new FairleadException(Reason.TRANSPORT, noPathText(host, why));
    }

    private static String noPathText(EndpointHost host, String why) {
        return "no memory is shared with the peer: endpoint=" + host.label() + ", " + why;
    }

    private ShmEndpoint open(EndpointHost host, WorkerAddress peer, LocalSocket socket) throws IOException {
        LocalSocket.Credentials credentials = socket.peer();
        String refusal = transport.rule().refusal(credentials, here(host), there(host));
        if (!refusal.isEmpty()) {
            throw noPath(host, refusal);
        }
        PinnedProcess process = transport.mayRead() ? pinReadable(socket, credentials, peer) : null;
        try {
            return new ShmEndpoint(parts, host, process, peer.token(), socket);
        } catch (IOException | RuntimeException | Error failure) {
            processes.release(process);
            throw failure;
        }
    }

    /** The peer's process, if its memory is readable; pinned before the try, so no later process of its id is read. */
    private @Nullable PinnedProcess pinReadable(
            LocalSocket socket, LocalSocket.Credentials credentials, WorkerAddress peer) {
        PinnedProcess process = processes.acquire(socket, credentials);
        if (process != null && ReachProbe.read(process, peer.probeAddress(), peer.probeValue()) != 0) {
            processes.release(process);
            return null;
        }
        return process;
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
