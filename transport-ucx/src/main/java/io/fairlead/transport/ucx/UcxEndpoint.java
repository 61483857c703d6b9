package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.TransportEndpoint;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpRequest;

/** A UCX endpoint made from the peer worker's address, with peer error handling on. */
final class UcxEndpoint implements TransportEndpoint {
    private static final int SOURCE_SHIFT = 48;
    /** Idle turns after which nothing can still be on its way from a peer that is gone. */
    private static final int IDLE_TURNS = 16;

    private final UcxWorker worker;
    private final EndpointHost host;
    private final UcpEndpoint endpoint;
    private final long handle;
    private final long sourceBits;
    private int inFlight;
    private int idleTurns;
    private boolean dirty;
    private boolean draining;
    private boolean failed;
    private boolean closed;
    @SuppressWarnings("unused")
    private @Nullable UcpRequest closeRequest;

    UcxEndpoint(UcxWorker worker, EndpointHost host, byte[] peerAddress) {
        this.worker = worker;
        this.host = host;
        this.sourceBits = (long) host.sourceId() << SOURCE_SHIFT;
        ByteBuffer address = ByteBuffer.allocateDirect(peerAddress.length);
        address.put(peerAddress).flip();
        UcpEndpointParams params = new UcpEndpointParams()
                .setUcpAddress(address)
                .setPeerErrorHandlingMode()
                .setErrorHandler((ep, status, message) -> failed((byte) status));
        try {
            this.endpoint = worker.ucpWorker().newEndpoint(params);
        } catch (UcxException failure) {
            throw new FairleadException(
                    Reason.TRANSPORT,
                    "ucp_ep_create failed: endpoint=" + host.label() + ", cause: " + failure.getMessage(),
                    failure);
        }
        this.handle = endpoint.getNativeId();
    }

    EndpointHost host() {
        return host;
    }

    long handle() {
        return handle;
    }

    boolean closed() {
        return closed;
    }

    void flightBegan() {
        inFlight++;
    }

    void flightEnded() {
        inFlight--;
    }

    /** UCX has given the peer up. May run inside UCX's progress, so it only tells the core, which acts later. */
    void failed(byte status) {
        if (!failed && !closed) {
            failed = true;
            host.failed(new FairleadException(
                    Reason.PEER_LOST, "UCX gave the peer up: endpoint=" + host.label() + ", " + UcxTransport.text(status)));
        }
    }

    @Override
    public boolean send(Operation operation) {
        if (failed) {
            return false;
        }
        dirty = true;
        long tag = sourceBits | operation.tag();
        Flight flight = worker.take(Flight.Kind.PLAIN, this, operation, operation.length());
        MemorySegment[] buffers = operation.buffers();
        if (buffers != null) {
            worker.posted(flight, sendGather(flight, buffers, tag));
        } else {
            long address = operation.buffer().address() + operation.offset();
            worker.posted(
                    flight,
                    operation.synchronous()
                            ? Ucp.tagSendSynchronous(handle, address, operation.length(), tag)
                            : Ucp.tagSend(handle, address, operation.length(), tag));
        }
        return true;
    }

    private long sendGather(Flight flight, MemorySegment[] buffers, long tag) {
        Arena arena = Arena.ofConfined();
        flight.spill = arena;
        MemorySegment vector = arena.allocate(ValueLayout.JAVA_LONG, 2L * buffers.length);
        int count = 0;
        for (MemorySegment buffer : buffers) {
            if (buffer.byteSize() > 0) {
                vector.setAtIndex(ValueLayout.JAVA_LONG, 2L * count, buffer.address());
                vector.setAtIndex(ValueLayout.JAVA_LONG, 2L * count + 1, buffer.byteSize());
                count++;
            }
        }
        return count == 0
                ? Ucp.tagSend(handle, vector.address(), 0, tag)
                : Ucp.tagSendGather(handle, vector.address(), count, tag);
    }

    @Override
    public void deliver(Arrival arrival) {
        worker.deliver(this, arrival);
    }

    @Override
    public void discard(Arrival arrival) {
        worker.discard(arrival.word, arrival.length());
    }

    @Override
    public boolean put(Operation operation) {
        if (failed) {
            return false;
        }
        dirty = true;
        UcxRemoteMemory remote = (UcxRemoteMemory) operation.remote();
        boolean withSignal = operation.hasSignal();
        long signal = operation.operand();
        Flight flight = worker.take(Flight.Kind.PLAIN, this, operation, operation.length());
        worker.posted(
                flight,
                operation.length() == 0
                        ? 0
                        : Ucp.put(
                                handle,
                                operation.buffer().address() + operation.offset(),
                                operation.length(),
                                remote.address + operation.remoteOffset(),
                                remote.handle));
        if (withSignal && !failed) {
            Flight flush = worker.take(Flight.Kind.SIGNAL_FLUSH, this, null, 0);
            flush.signal = signal;
            worker.posted(flush, Ucp.flush(handle));
        }
        return true;
    }

    @Override
    public boolean get(Operation operation) {
        if (failed) {
            return false;
        }
        UcxRemoteMemory remote = (UcxRemoteMemory) operation.remote();
        Flight flight = worker.take(Flight.Kind.PLAIN, this, operation, operation.length());
        worker.posted(
                flight,
                operation.length() == 0
                        ? 0
                        : Ucp.get(
                                handle,
                                operation.buffer().address() + operation.offset(),
                                operation.length(),
                                remote.address + operation.remoteOffset(),
                                remote.handle));
        return true;
    }

    @Override
    public boolean atomic(Operation operation) {
        if (failed) {
            return false;
        }
        dirty = true;
        UcxRemoteMemory remote = (UcxRemoteMemory) operation.remote();
        Flight flight = worker.take(Flight.Kind.ATOMIC, this, operation, Long.BYTES);
        int code =
                switch (operation.atomic()) {
                    case ADD -> Ucp.ATOMIC_ADD;
                    case AND -> Ucp.ATOMIC_AND;
                    case OR -> Ucp.ATOMIC_OR;
                    case XOR -> Ucp.ATOMIC_XOR;
                    case SWAP -> Ucp.ATOMIC_SWAP;
                    case COMPARE_SWAP -> Ucp.ATOMIC_COMPARE_SWAP;
                };
        if (code == Ucp.ATOMIC_COMPARE_SWAP) {
            flight.operands(operation.compare(), operation.operand());
        } else {
            flight.operands(operation.operand(), 0);
        }
        worker.posted(
                flight,
                Ucp.atomic(
                        handle,
                        code,
                        flight.operandAddress(),
                        remote.address + operation.remoteOffset(),
                        remote.handle,
                        flight.atomicParam));
        return true;
    }

    @Override
    public boolean flush(Operation operation) {
        if (failed) {
            return false;
        }
        Flight flight = worker.take(Flight.Kind.PLAIN, this, operation, 0);
        worker.posted(flight, Ucp.flush(handle));
        return true;
    }

    @Override
    public void fence() {
        Ucp.fence(worker.handle());
    }

    @Override
    public RemoteMemory unpack(byte[] key, long regionId, long length) {
        try {
            ByteBuffer in = ByteBuffer.wrap(key);
            long address = in.getLong();
            ByteBuffer packed = ByteBuffer.allocateDirect(in.remaining());
            packed.put(in).flip();
            return new UcxRemoteMemory(endpoint.unpackRemoteKey(packed), address);
        } catch (BufferUnderflowException tooShort) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY, "UCX part of a remote key is too short: length=" + key.length + " bytes", tooShort);
        } catch (UcxException failure) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY, "UCX cannot unpack a remote key: cause: " + failure.getMessage(), failure);
        }
    }

    @Override
    public boolean sendControl(ByteBuffer frame) {
        throw new IllegalStateException("the control connection is the core's");
    }

    @Override
    public boolean drained() {
        if (inFlight > 0) {
            return false;
        }
        if (dirty && !failed) {
            dirty = false;
            draining = true;
            worker.posted(worker.take(Flight.Kind.DRAIN, this, null, 0), Ucp.flush(handle));
        }
        return !draining;
    }

    void drainEnded() {
        draining = false;
    }

    /** Whether what is still in flight of the closed endpoint will never end by itself. */
    boolean abandonNow(boolean idle) {
        if (inFlight == 0) {
            return true;
        }
        idleTurns = idle ? idleTurns + 1 : 0;
        return idleTurns > IDLE_TURNS;
    }

    @Override
    public void close() {
        closed = true;
        closeRequest = forceClose();
        worker.closing(this);
    }

    private @Nullable UcpRequest forceClose() {
        try {
            return Objects.requireNonNull(endpoint).closeNonBlockingForce();
        } catch (UcxException alreadyGone) {
            return null;
        }
    }
}
