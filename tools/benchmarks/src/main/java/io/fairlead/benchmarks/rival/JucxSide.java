package io.fairlead.benchmarks.rival;

import io.fairlead.cli.measure.PassiveSide;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpRequestParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/** What every test over JUCX needs: a worker, an endpoint, and two buffers in memory of UCX that the other side can reach. */
final class JucxSide extends UcxCallback implements AutoCloseable {
    /** JUCX must not choose the memory type: its constant for "unknown" means another type to another UCX. */
    static final UcpRequestParams HOST = new UcpRequestParams().setMemoryType(0);

    static final long ALL_BITS = -1;
    /** The tag of the message that ends a round. */
    static final long END_TAG = 2;

    private static final int PAGE = 4096;
    private static final long CLOSE_LIMIT_NS = TimeUnit.SECONDS.toNanos(2);

    private final UcpWorker worker;
    private final UcpMemory memory;
    private final long bufferBytes;
    private @Nullable UcpEndpoint endpoint;
    private @Nullable UcpRemoteKey key;
    private long remoteAddress;
    private int errors;
    /** Operations on their way. */
    private final PassiveSide passive = new PassiveSide(this::progress, () -> this.outstanding == 0);

    int outstanding;

    @SuppressWarnings("restricted")
    JucxSide(UcpContext context, int size) {
        worker = context.newWorker(new UcpWorkerParams());
        bufferBytes = (size + PAGE - 1L) / PAGE * PAGE;
        memory = context.memoryMap(new UcpMemMapParams().allocate().setLength(2 * bufferBytes));
        MemorySegment.ofAddress(memory.getAddress())
                .reinterpret(2 * bufferBytes)
                .fill((byte) 0);
    }

    byte[] introduction() {
        ByteBuffer address = worker.getAddress();
        ByteBuffer packedKey = memory.getRemoteKeyBuffer();
        return ByteBuffer.allocate(Long.BYTES + 2 * Integer.BYTES + address.remaining() + packedKey.remaining())
                .putLong(memory.getAddress())
                .putInt(address.remaining())
                .putInt(packedKey.remaining())
                .put(address)
                .put(packedKey)
                .array();
    }

    void meet(byte[] introduction) {
        ByteBuffer in = ByteBuffer.wrap(introduction);
        remoteAddress = in.getLong();
        int addressLength = in.getInt();
        int keyLength = in.getInt();
        endpoint = worker.newEndpoint(new UcpEndpointParams().setUcpAddress(direct(in, addressLength)));
        key = endpoint.unpackRemoteKey(direct(in, keyLength));
    }

    /** JUCX hands the address of the buffer to UCX, so it must be outside of the heap. */
    private static ByteBuffer direct(ByteBuffer in, int length) {
        ByteBuffer copy = ByteBuffer.allocateDirect(length);
        copy.put(in.slice(in.position(), length)).flip();
        in.position(in.position() + length);
        return copy;
    }

    /** Where what the other side writes or sends arrives. */
    long incoming() {
        return memory.getAddress();
    }

    /** Where what this side writes or sends comes from. */
    long outgoing() {
        return memory.getAddress() + bufferBytes;
    }

    /** The other side's incoming buffer. */
    long remote() {
        return remoteAddress;
    }

    UcpEndpoint endpoint() {
        return met(endpoint);
    }

    UcpRemoteKey key() {
        return met(key);
    }

    UcpWorker worker() {
        return worker;
    }

    private static <T> T met(@Nullable T known) {
        if (known == null) {
            throw new IllegalStateException("the other side has not been met");
        }
        return known;
    }

    int progress() {
        try {
            return worker.progress();
        } catch (Exception thrown) {
            throw new IllegalStateException("JUCX failed in progress", thrown);
        }
    }

    /** Returns when at most that many operations are on their way. */
    void drain(int most) {
        while (outstanding > most) {
            int _ = progress();
        }
        if (errors > 0) {
            throw new IllegalStateException("an operation of JUCX failed");
        }
    }

    /** Returns when nothing is on its way, and leaves the processor to the peer where that needs nothing of this side. */
    void drainPassively() {
        passive.await();
        drain(0);
    }

    void send(int size, long tag) {
        outstanding++;
        endpoint().sendTaggedNonBlocking(outgoing(), size, tag, this, HOST);
    }

    void receive(int size, long tag) {
        outstanding++;
        worker.recvTaggedNonBlocking(incoming(), size, tag, ALL_BITS, this, HOST);
    }

    void flush() {
        outstanding++;
        endpoint().flushNonBlocking(this);
    }

    /** The end of any operation; may be called before the call that started it returns. */
    @Override
    public void onSuccess(UcpRequest request) {
        outstanding--;
    }

    @Override
    public void onError(int status, String message) {
        errors++;
        outstanding--;
    }

    @Override
    public void close() {
        if (key != null) {
            key.close();
        }
        if (endpoint != null) {
            UcpRequest closing = endpoint.closeNonBlockingFlush();
            long deadline = System.nanoTime() + CLOSE_LIMIT_NS;
            while (!closing.isCompleted() && System.nanoTime() - deadline < 0) {
                int _ = progress();
            }
        }
        worker.close();
        memory.deregister();
    }
}
