package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The sockets at which the workers of peers take rings. Checks whose processes those are. */
record PeerSockets(SharedParts transport, PinnedProcesses processes) {
    /** Passes a ring. */
    interface Passing<T> {
        /**
         * Passes it.
         *
         * @param process the peer's process; null if this one may not read it. The result releases it
         */
        T pass(@Nullable PinnedProcess process, LocalSocket socket) throws IOException;
    }

    /**
     * Connects to the socket of a peer's worker.
     *
     * @throws FairleadException {@code TRANSPORT} if it cannot be reached, or no memory may be shared with its process
     */
    <T> T reach(EndpointHost host, WorkerAddress peer, Passing<T> passing) {
        if (peer.isInFolder() != transport.place().isFolder()) {
            throw noPath(host, SharedMemory.elsewhere(transport.place().isFolder(), here(host), there(host)));
        }
        try (LocalSocket socket = transport.place().connect(peer.socket())) {
            return pass(host, peer, socket, passing);
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

    private <T> T pass(EndpointHost host, WorkerAddress peer, LocalSocket socket, Passing<T> passing)
            throws IOException {
        LocalSocket.Credentials credentials = socket.peer();
        String refusal = transport.rule().refusal(credentials, here(host), there(host));
        if (!refusal.isEmpty()) {
            throw noPath(host, refusal);
        }
        PinnedProcess process = transport.mayRead() ? pinReadable(socket, credentials, peer) : null;
        try {
            return passing.pass(process, socket);
        } catch (IOException | RuntimeException | Error failure) {
            processes.release(process);
            throw failure;
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
}
