package io.fairlead.testkit.fault;

import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RemoteMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** An operation whose end may be held back. The transport works on this one, the core waits for the other. */
final class FaultOperation extends Operation {
    private final Operation inner;
    private final FaultEndpoint endpoint;
    private int progressCallsLeft;
    private boolean swallowed;
    private Status status = Status.OK;
    private long resultLength;
    private long resultValue;

    FaultOperation(Operation inner, FaultEndpoint endpoint, int delay) {
        this.inner = inner;
        this.endpoint = endpoint;
        this.progressCallsLeft = delay;
    }

    FaultEndpoint endpoint() {
        return endpoint;
    }

    /** Lets calls of progress go by, and says how many are left. */
    int wait(int progressCalls) {
        progressCallsLeft -= progressCalls;
        return progressCallsLeft;
    }

    /** From now on the transport may end the operation, but its completion does not run before the endpoint ends. */
    void swallow() {
        swallowed = true;
    }

    /** The endpoint has ended, and with it what was swallowed. */
    void cancel() {
        inner.complete(Status.CANCELLED, 0);
    }

    /** Ends the operation as the transport did. */
    void pass() {
        inner.complete(status, resultLength, resultValue);
    }

    @Override
    public void complete(Status outcome, long bytes, long value) {
        if (swallowed) {
            return;
        }
        status = outcome;
        resultLength = bytes;
        resultValue = value;
        if (progressCallsLeft > 0 && !endpoint.closed()) {
            endpoint.worker().hold(this);
        } else {
            pass();
        }
    }

    @Override
    public MemorySegment buffer() {
        return inner.buffer();
    }

    @Override
    public MemorySegment @Nullable [] buffers() {
        return inner.buffers();
    }

    @Override
    public long offset() {
        return inner.offset();
    }

    @Override
    public long length() {
        return inner.length();
    }

    @Override
    public long tag() {
        return inner.tag();
    }

    @Override
    public long tagMask() {
        return inner.tagMask();
    }

    @Override
    public int handler() {
        return inner.handler();
    }

    @Override
    public MemorySegment header() {
        return inner.header();
    }

    @Override
    public boolean isSynchronous() {
        return inner.isSynchronous();
    }

    @Override
    public RemoteMemory remote() {
        return inner.remote();
    }

    @Override
    public long remoteOffset() {
        return inner.remoteOffset();
    }

    @Override
    public AtomicOperation atomic() {
        return inner.atomic();
    }

    @Override
    public long operand() {
        return inner.operand();
    }

    @Override
    public long compare() {
        return inner.compare();
    }

    @Override
    public boolean hasSignal() {
        return inner.hasSignal();
    }
}
