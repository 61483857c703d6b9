package io.fairlead.transport.shm;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathClass;
import io.fairlead.SecurityMode;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.AllocatingTransport;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Reach;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import io.fairlead.spi.host.HostFiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Shared memory of one context: decides which peers it reaches, and creates regions that others can map. */
final class ShmTransport implements AllocatingTransport {
    /** Peers of another version are refused: rings and keys have this release's format. */
    private static final String VERSION = "5";

    private static final String SAME_HOST = "both processes are on one host";

    private final SharedParts parts;

    ShmTransport(TransportSetup setup) {
        HostFiles files = new HostFiles(Path.of("/"));
        boolean isSecured = setup.config().value(ConfigKeys.SECURITY_MODE) != SecurityMode.OFF;
        SocketPlace place = place(setup.config().value(ShmKeys.SOCKET_DIR), isSecured);
        String oneCopy = setup.config().value(ShmKeys.ONE_COPY);
        SharingRule rule = SharingRule.of(files, Libc.user(), isSecured);
        RegionServer regions = listen(place, rule);
        parts = new SharedParts(
                new Lifeline(),
                new ReachProbe(),
                regions,
                place,
                rule,
                setup.config().value(ShmKeys.CMA),
                oneCopy.equals(ShmKeys.ALWAYS) || (oneCopy.equals(ShmKeys.AUTO) && !SharedCache.isOneForAll(files)));
        if (setup.config().value(ShmKeys.READERS)) {
            // Without Yama there is nothing to allow, and the kernel returns an error.
            int _ = Libc.allowReaders();
        }
    }

    private static RegionServer listen(SocketPlace place, SharingRule rule) {
        try {
            return new RegionServer(place, rule);
        } catch (IOException refused) {
            throw new FairleadException(
                    Reason.TRANSPORT, "memory cannot be shared: cause: " + refused.getMessage(), refused);
        }
    }

    private static SocketPlace place(String folder, boolean isSecured) {
        if (folder.isEmpty()) {
            return SocketPlace.NAMESPACE;
        }
        try {
            return SocketPlace.of(Path.of(folder), isSecured);
        } catch (IOException | InvalidPathException wrong) {
            throw new FairleadException(
                    Reason.TRANSPORT, "shm.socket-dir cannot be used: cause: " + wrong.getMessage(), wrong);
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public String version() {
        return VERSION;
    }

    @Override
    public Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress) {
        if (!VERSION.equals(peerVersion)) {
            return Reach.none("shm versions differ: here " + VERSION + ", peer " + peerVersion);
        }
        WorkerAddress peer = WorkerAddress.decode(peerAddress);
        if (peer == null) {
            return Reach.none("the peer's shm address is malformed");
        }
        if (!peer.isHere()) {
            return Reach.none("they run on different hosts");
        }
        if (peer.isInFolder() != parts.place().isFolder()) {
            return Reach.none(SharedMemory.elsewhere(parts.place().isFolder(), "listener", "connector"));
        }
        // A socket that answers is the proof: descriptors can be passed to it.
        try (LocalSocket socket = parts.place().connect(peer.socket())) {
            LocalSocket.Credentials credentials = socket.peer();
            String refusal = parts.rule().refusal(credentials, "listener", "connector");
            return refusal.isEmpty() ? reach(readProblem(peer, socket, credentials)) : Reach.none(refusal);
        } catch (LocalSocket.RefusedException refused) {
            return Reach.none(SharedMemory.unreachable("connector", refused));
        } catch (IOException refused) {
            return Reach.none("the listener has no socket to the connector: " + refused.getMessage());
        }
    }

    /** Why the listener does not read the connector's memory; empty if it does. */
    private String readProblem(WorkerAddress peer, LocalSocket socket, LocalSocket.Credentials credentials) {
        if (!parts.mayRead()) {
            return "shm.cma=false at the listener";
        }
        if (credentials.process() == 0) {
            return "the connector is in a PID namespace that the listener does not see";
        }
        PinnedProcess process = PinnedProcess.open(socket, credentials);
        ReadPermission permission = new ReadPermission(new HostFiles(Path.of("/")));
        if (process == null) {
            return permission.refusal(Libc.NO_SUCH_CALL);
        }
        try (process) {
            int error = ReachProbe.read(process, peer.probeAddress(), peer.probeValue());
            return error == 0 ? "" : permission.refusal(error);
        }
    }

    private static Reach reach(String inParts) {
        return inParts.isEmpty()
                ? Reach.by(PathClass.SHARED_MEMORY, "memory", Lanes.of(true), SAME_HOST)
                : Reach.by(
                        PathClass.SHARED_MEMORY,
                        "memory",
                        Lanes.of(false),
                        SAME_HOST + ", long messages go in parts: " + inParts);
    }

    @Override
    public @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights) {
        return ShmRegion.allocate(parts.regions(), length, rights);
    }

    @Override
    public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
        return ShmRegion.of(segment);
    }

    @Override
    public TransportWorker newWorker(WorkerHost host) {
        return new ShmWorker(parts, host);
    }

    @Override
    public void close() {
        CloseSteps.runAll(parts.lifeline()::close, parts.regions()::close, parts.probe()::close);
    }
}
