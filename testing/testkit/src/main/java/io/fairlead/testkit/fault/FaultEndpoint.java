package io.fairlead.testkit.fault;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.Connection;
import io.fairlead.spi.ControlCarrier;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LocalRegion;
import io.fairlead.spi.Operation;
import io.fairlead.spi.ProgressingEndpoint;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.WireUpEndpoint;
import io.fairlead.testkit.fault.FaultPlan.Fate;
import io.fairlead.testkit.fault.FaultPlan.Kind;
import io.fairlead.testkit.fault.FaultPlan.Setup;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The decorated endpoint, between the core's side of it and the transport's, for both of which it stands in for the other. */
final class FaultEndpoint implements WireUpEndpoint, ProgressingEndpoint, ControlCarrier, EndpointHost {
    private final FaultWorker worker;
    private final EndpointHost host;
    private final Connection connection;
    /** Operations that a fault has swallowed; they end with the endpoint. */
    private final Set<FaultOperation> swallowed = new LinkedHashSet<>();

    private @Nullable TransportEndpoint inner;
    /** A fault has swallowed an operation. */
    private boolean cut;

    private boolean closed;

    FaultEndpoint(FaultWorker worker, EndpointHost host, Connection connection) {
        this.worker = worker;
        this.host = host;
        this.connection = connection;
    }

    void attach(TransportEndpoint endpoint) {
        inner = endpoint;
    }

    FaultWorker worker() {
        return worker;
    }

    boolean closed() {
        return closed;
    }

    private TransportEndpoint inner() {
        return Objects.requireNonNull(inner, "the transport calls back only once its endpoint is made");
    }

    private boolean post(Kind kind, Operation operation, Predicate<Operation> call) {
        if (cut) {
            follow(new FaultOperation(operation, this, 0));
            return true;
        }
        Fate fate = worker.plan().next(kind);
        if (fate == Fate.REFUSE) {
            return false;
        }
        if (fate == Fate.THROW) {
            throw thrown(kind);
        }
        FaultOperation wrapped =
                new FaultOperation(operation, this, worker.plan().delay(kind));
        if (fate == Fate.PASS) {
            boolean taken = call.test(wrapped);
            if (taken) {
                worker.plan().taken(kind);
            }
            return taken;
        }
        worker.plan().taken(kind);
        swallow(fate, kind, wrapped);
        return true;
    }

    private static IllegalStateException thrown(Kind kind) {
        return new IllegalStateException("thrown by the fault plan: kind=" + kind);
    }

    /** No network loses an operation and delivers the next: what comes behind a swallowed one goes the same way. */
    private void follow(FaultOperation operation) {
        operation.swallow();
        swallowed.add(operation);
    }

    private void swallow(Fate fate, Kind kind, FaultOperation operation) {
        cut = true;
        follow(operation);
        if (fate == Fate.SEVER) {
            host.failed(new FairleadException(
                    Reason.TRANSPORT, "severed by the fault plan: endpoint=" + host.label() + ", kind=" + kind));
            return;
        }
        try {
            connection.channel().shutdownInput().shutdownOutput();
        } catch (IOException e) {
            host.failed(new FairleadException(
                    Reason.PEER_LOST, "connection was lost before the fault plan cut it: endpoint=" + host.label(), e));
        }
    }

    private void passIfWiredUp(Setup setup) {
        if (inner() instanceof WireUpEndpoint) {
            worker.plan().pass(setup);
        }
    }

    @Override
    public byte[] wireUpData() {
        passIfWiredUp(Setup.WIRE_UP_DATA);
        return inner() instanceof WireUpEndpoint endpoint ? endpoint.wireUpData() : new byte[0];
    }

    @Override
    public void wireUp(byte[] data) {
        passIfWiredUp(Setup.WIRE_UP);
        if (inner() instanceof WireUpEndpoint endpoint) {
            endpoint.wireUp(data);
        }
    }

    @Override
    public void begin() {
        passIfWiredUp(Setup.BEGIN);
        if (inner() instanceof WireUpEndpoint endpoint) {
            endpoint.begin();
        }
    }

    @Override
    public boolean isReady() {
        worker.plan().pass(Setup.READY);
        return inner().isReady();
    }

    @Override
    public List<String> lanes() {
        return inner().lanes();
    }

    @Override
    public int progress() {
        return inner() instanceof ProgressingEndpoint own ? own.progress() : 0;
    }

    @Override
    public boolean send(Operation operation) {
        return post(Kind.SEND, operation, inner()::send);
    }

    @Override
    public boolean put(Operation operation) {
        return post(Kind.PUT, operation, inner()::put);
    }

    @Override
    public boolean get(Operation operation) {
        return post(Kind.GET, operation, inner()::get);
    }

    @Override
    public boolean atomic(Operation operation) {
        return post(Kind.ATOMIC, operation, inner()::atomic);
    }

    @Override
    public boolean flush(Operation operation) {
        return post(Kind.FLUSH, operation, inner()::flush);
    }

    @Override
    public void deliver(Arrival arrival) {
        FaultArrival wrapped = wrapped(arrival);
        worker.plan().returned();
        Operation receive = Objects.requireNonNull(arrival.operation(), "a delivered arrival has an operation");
        if (closed) {
            // The core takes what is whole into its own memory, inside the call.
            wrapped.matched(receive);
        } else {
            match(wrapped, receive);
        }
        inner().deliver(wrapped);
    }

    @Override
    public boolean keep(Arrival arrival) {
        return inner().keep(wrapped(arrival));
    }

    @Override
    public void discard(Arrival arrival) {
        worker.plan().returned();
        inner().discard(wrapped(arrival));
    }

    private static FaultArrival wrapped(Arrival arrival) {
        return (FaultArrival) Objects.requireNonNull(arrival.attachment, "an announced arrival carries its decorator");
    }

    /** Gives an arrival its receive, which a fault may befall. */
    private void match(FaultArrival arrival, Operation receive) {
        if (cut && !closed) {
            FaultOperation behind = new FaultOperation(receive, this, 0);
            arrival.matched(behind);
            follow(behind);
            return;
        }
        FaultOperation operation =
                new FaultOperation(receive, this, worker.plan().delay(Kind.RECEIVE));
        Fate fate = worker.plan().next(Kind.RECEIVE);
        worker.plan().taken(Kind.RECEIVE);
        arrival.matched(operation);
        if (fate != Fate.PASS && !closed) {
            swallow(fate, Kind.RECEIVE, operation);
        }
    }

    @Override
    public void fence() {
        inner().fence();
    }

    @Override
    public RemoteMemory unpack(byte[] key, RegionProof region, long length) {
        return inner().unpack(key, region, length);
    }

    @Override
    public boolean sendControl(ByteBuffer frame) {
        return ((ControlCarrier) inner()).sendControl(frame);
    }

    @Override
    public boolean isDrained() {
        return inner().isDrained();
    }

    @Override
    public void close() {
        closed = true;
        worker.release(this);
        inner().close();
        swallowed.forEach(FaultOperation::cancel);
        swallowed.clear();
    }

    @Override
    public @Nullable Arrival arrived(long tag, long length, Arrival.Place place) {
        if (worker.plan().throwsNow(Kind.RECEIVE)) {
            throw thrown(Kind.RECEIVE);
        }
        return decorated(host.arrived(tag, length, place));
    }

    private @Nullable Arrival decorated(@Nullable Arrival arrival) {
        if (arrival == null) {
            return null;
        }
        FaultArrival wrapped = new FaultArrival(arrival);
        Operation receive = arrival.operation();
        if (receive == null) {
            arrival.attachment = wrapped;
            worker.plan().announced();
        } else {
            match(wrapped, receive);
        }
        return wrapped;
    }

    @Override
    public @Nullable Arrival activeArrived(int number, int headerLength, long length) {
        return decorated(host.activeArrived(number, headerLength, length));
    }

    @Override
    public @Nullable Arrival activeAnnounced(
            int number, MemorySegment header, long offset, int headerLength, long length) {
        return decorated(host.activeAnnounced(number, header, offset, headerLength, length));
    }

    @Override
    public void signalled(long value) {
        host.signalled(value);
    }

    @Override
    public void control(ByteBuffer frame) {
        host.control(frame);
    }

    @Override
    public void heard() {
        host.heard();
    }

    @Override
    public void failed(FairleadException cause) {
        host.failed(cause);
    }

    @Override
    public void wakePeer() {
        host.wakePeer();
    }

    @Override
    public void ended() {
        host.ended();
    }

    @Override
    public void admitRegion(RegionProof proof) {
        host.admitRegion(proof);
    }

    @Override
    public @Nullable LocalRegion acquireRegion(long regionId) {
        return host.acquireRegion(regionId);
    }

    @Override
    public int eagerMax() {
        return host.eagerMax();
    }

    @Override
    public int id() {
        return host.id();
    }

    @Override
    public boolean isConnector() {
        return host.isConnector();
    }

    @Override
    public byte[] pathKey(String label) {
        return host.pathKey(label);
    }

    @Override
    public int sourceId() {
        return host.sourceId();
    }

    @Override
    public String label() {
        return host.label();
    }
}
