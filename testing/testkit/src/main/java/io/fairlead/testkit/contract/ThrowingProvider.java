package io.fairlead.testkit.contract;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Reach;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/** A transport that throws at one of the steps on the way to a worker. */
final class ThrowingProvider implements TransportProvider {
    static final String NAME = "throwing";
    static final String CAUSE = "the contract suite has broken it";

    /** The steps, in their order. */
    enum Step {
        AVAILABILITY,
        OPEN,
        VERSION,
        CAPABILITIES,
        WORKER
    }

    private final Step step;
    private final Throwable thrown;
    private boolean closed;

    ThrowingProvider(Step step, Throwable thrown) {
        this.step = step;
        this.thrown = thrown;
    }

    /** Whether the transport was opened and not closed. */
    boolean leaked() {
        return step.compareTo(Step.OPEN) > 0 && !closed;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<ConfigKey<?>> configKeys() {
        return List.of();
    }

    @Override
    public Availability availability() {
        pass(Step.AVAILABILITY);
        return Availability.AVAILABLE;
    }

    @Override
    public Transport open(TransportSetup setup) {
        pass(Step.OPEN);
        return new Opened();
    }

    private void pass(Step at) {
        if (at == step) {
            throw unchecked(thrown);
        }
    }

    // The type argument is taken for unchecked by the compiler, and checks nothing when it runs.
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
        throw (E) thrown;
    }

    private final class Opened implements Transport {
        @Override
        public Set<Capability> capabilities() {
            pass(Step.CAPABILITIES);
            return Set.of(Capability.TAGGED);
        }

        @Override
        public String version() {
            pass(Step.VERSION);
            return "1";
        }

        @Override
        public Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress) {
            throw new AssertionError("judged though it has no worker");
        }

        @Override
        public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
            throw new AssertionError("handed memory though it has no worker");
        }

        @Override
        public TransportWorker newWorker(WorkerHost host) {
            pass(Step.WORKER);
            throw new AssertionError("asked for a worker though it is not available");
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
