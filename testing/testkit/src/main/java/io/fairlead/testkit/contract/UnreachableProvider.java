package io.fairlead.testkit.contract;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathClass;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Connection;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import io.fairlead.spi.Reach;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WireUpEndpoint;
import io.fairlead.spi.WorkerHost;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/** A transport that claims to reach every peer by the best of paths, and connects nobody. */
final class UnreachableProvider implements TransportProvider {
    static final String NAME = "aaa-unreachable";
    static final String CAUSE = "the contract suite has cut it";

    /** The step of connecting at which it fails; before it, everything looks well. */
    enum Step {
        /** The endpoint is made, and throws a failure of Fairlead's. */
        CONNECT,
        /** The endpoint is made, and throws an error. */
        CONNECT_ERROR,
        /** The peer's data is taken in. */
        WIRE_UP,
        /** The transport begins to connect the endpoint. */
        BEGIN,
        /** A later turn. */
        PROGRESS,
        /** None: it never says that it has connected. */
        NEVER
    }

    private final Step step;
    private int open;

    UnreachableProvider(Step step) {
        this.step = step;
    }

    /** Endpoints that were made and are not closed. */
    int open() {
        return open;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public Availability availability() {
        return Availability.AVAILABLE;
    }

    @Override
    public List<ConfigKey<?>> configKeys() {
        return List.of();
    }

    @Override
    public Transport open(TransportSetup setup) {
        return new Opened();
    }

    private void pass(Step at) {
        if (at == step) {
            throw failure();
        }
    }

    private static FairleadException failure() {
        return new FairleadException(Reason.TRANSPORT, CAUSE);
    }

    private final class Opened implements Transport {
        @Override
        public Set<Capability> capabilities() {
            return Set.of(Capability.TAGGED);
        }

        @Override
        public String version() {
            return "1";
        }

        @Override
        public Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress) {
            return Reach.by(PathClass.IN_PROCESS, "nothing", List.of(), "so it says");
        }

        @Override
        public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
            return new Memory(segment);
        }

        @Override
        public TransportWorker newWorker(WorkerHost host) {
            return new Worker();
        }

        @Override
        public void close() {}
    }

    private record Memory(MemorySegment segment) implements RegisteredMemory {
        @Override
        public byte[] key() {
            return new byte[0];
        }

        @Override
        public void close() {}
    }

    private final class Worker implements TransportWorker {
        @Override
        public byte[] address() {
            return new byte[0];
        }

        @Override
        public TransportEndpoint connect(EndpointHost host, byte[] peerAddress, Connection connection) {
            pass(Step.CONNECT);
            if (step == Step.CONNECT_ERROR) {
                throw new OutOfMemoryError(CAUSE);
            }
            open++;
            return new End(host);
        }

        @Override
        public boolean takesConnection() {
            return false;
        }

        @Override
        public boolean connectsByItself() {
            return true;
        }

        @Override
        public int progress() {
            return 0;
        }

        @Override
        public boolean arm() {
            return true;
        }

        @Override
        public void close() {}
    }

    private final class End implements WireUpEndpoint {
        private final EndpointHost host;
        private int asked;

        End(EndpointHost host) {
            this.host = host;
        }

        @Override
        public byte[] wireUpData() {
            return new byte[] {1};
        }

        @Override
        public void wireUp(byte[] data) {
            pass(Step.WIRE_UP);
        }

        @Override
        public void begin() {
            if (step == Step.BEGIN) {
                host.failed(failure());
            }
        }

        @Override
        public boolean isReady() {
            if (step == Step.PROGRESS && ++asked == 10) {
                host.failed(failure());
            }
            return false;
        }

        @Override
        public boolean send(Operation operation) {
            throw posted();
        }

        @Override
        public boolean put(Operation operation) {
            throw posted();
        }

        @Override
        public boolean get(Operation operation) {
            throw posted();
        }

        @Override
        public boolean atomic(Operation operation) {
            throw posted();
        }

        @Override
        public boolean flush(Operation operation) {
            throw posted();
        }

        @Override
        public void fence() {
            throw posted();
        }

        @Override
        public RemoteMemory unpack(byte[] key, RegionProof region, long length) {
            throw posted();
        }

        @Override
        public void deliver(Arrival arrival) {
            throw posted();
        }

        @Override
        public void discard(Arrival arrival) {
            throw posted();
        }

        private static AssertionError posted() {
            return new AssertionError("used though it has connected nobody");
        }

        @Override
        public boolean isDrained() {
            return true;
        }

        @Override
        public void close() {
            open--;
        }
    }
}
