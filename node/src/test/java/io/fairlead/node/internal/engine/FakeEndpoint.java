package io.fairlead.node.internal.engine;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.Path;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PeerIdentity;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.statistics.Counters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** An endpoint whose sends a test looks at and answers. */
final class FakeEndpoint implements Endpoint {
    /** The words that were sent, in order. */
    final Queue<Long> sent = new ConcurrentLinkedQueue<>();
    /** While positive, sends find no room. */
    final AtomicInteger withoutRoom = new AtomicInteger();
    /** A send of this word throws. */
    volatile long refused = Long.MIN_VALUE;
    /** Sends are taken and never complete. */
    volatile boolean silent;

    EndpointHandler handler = EndpointHandler.NONE;
    private final FakeWorker worker;

    FakeEndpoint(FakeWorker worker) {
        this.worker = worker;
    }

    @Override
    public long send(MemorySegment buffer, long offset, long length, long tag, Completion completion, long userData) {
        if (withoutRoom.get() > 0) {
            withoutRoom.decrementAndGet();
            return Endpoint.BACK_PRESSURE;
        }
        long word = buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
        if (word == refused) {
            throw new IllegalArgumentException("refused by the test");
        }
        sent.add(word);
        return silent ? 1 : worker.complete(completion, Status.OK, length);
    }

    @Override
    public long sendGather(MemorySegment[] buffers, long tag, Completion completion, long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long sendActive(
            int handler,
            MemorySegment header,
            MemorySegment buffer,
            long offset,
            long length,
            Completion completion,
            long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long sendActiveGather(
            int handler, MemorySegment header, MemorySegment[] payload, Completion completion, long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long sendSynchronous(
            MemorySegment buffer, long offset, long length, long tag, Completion completion, long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long receive(
            MemorySegment buffer, long offset, long length, long tag, long mask, Completion completion, long data) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long put(
            MemorySegment source,
            long sourceOffset,
            long length,
            RemoteKey key,
            long targetOffset,
            Completion completion,
            long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long putSignal(
            MemorySegment source, long signal, RemoteKey key, long targetOffset, Completion completion, long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long get(
            MemorySegment target,
            long targetOffset,
            long length,
            RemoteKey key,
            long sourceOffset,
            Completion completion,
            long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long fetchAdd(long addend, RemoteKey key, long targetOffset, Completion completion, long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long fetchAnd(long bits, RemoteKey key, long targetOffset, Completion completion, long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long fetchOr(long bits, RemoteKey key, long targetOffset, Completion completion, long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long fetchXor(long bits, RemoteKey key, long targetOffset, Completion completion, long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long swap(long replacement, RemoteKey key, long targetOffset, Completion completion, long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long compareAndSwap(
            long expected, long replacement, RemoteKey key, long targetOffset, Completion completion, long userData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long flush(Completion completion, long userData) {
        return Endpoint.UNSUPPORTED;
    }

    @Override
    public long fence() {
        return 0;
    }

    @Override
    public RemoteKey unpack(byte[] packedKey) {
        throw new UnsupportedOperationException();
    }

    @Override
    public EndpointState state() {
        return EndpointState.CONNECTED;
    }

    @Override
    public Optional<Path> path() {
        return Optional.of(new Path("fake", PathClass.TCP, "", List.of(), PathCause.ONLY_SHARED, "for a test"));
    }

    @Override
    public Optional<FairleadException> failure() {
        return Optional.empty();
    }

    @Override
    public int id() {
        return 1;
    }

    @Override
    public String peerName() {
        return "fake";
    }

    @Override
    public long peerIncarnation() {
        return 2;
    }

    @Override
    public Optional<InetSocketAddress> localAddress() {
        return Optional.empty();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return InetSocketAddress.createUnresolved("fake", 1);
    }

    @Override
    public PeerIdentity peerIdentity() {
        return PeerIdentity.ANONYMOUS;
    }

    @Override
    public Worker worker() {
        return worker;
    }

    @Override
    public Counters counters() {
        return _ -> 0;
    }

    @Override
    public void close() {
        startClose();
    }

    @Override
    public void startClose() {
        worker.script.add(() -> handler.closed(this));
    }

    @Override
    public void abort() {
        startClose();
    }
}
