package io.fairlead.benchmarks.contest;

import io.fairlead.cli.measure.Laps;
import io.fairlead.cli.measure.Work;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpRequestParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * Raw JUCX over UCX's shared memory, as its own examples use it: a Java object and a callback for an operation, no error handling between peers. For
 * messages there is one callback for each place of the window, and not for each message.
 */
final class JucxLink extends WindowLink {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final long TAG = 1;
    private static final long ADDRESS_TAG = 2;
    private static final long KEY_TAG = 3;
    private static final long END_TAG = 4;
    private static final long ALL_BITS = -1;
    private static final int ADDRESS_MAX = 4096;
    private static final int PAGE = 4096;
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long CLOSE_LIMIT_NS = TimeUnit.SECONDS.toNanos(2);
    /** JUCX must not choose the memory type: its constant for "unknown" means another type to another UCX. */
    private static final UcpRequestParams HOST = new UcpRequestParams().setMemoryType(0);

    /** A slot of the window, of either direction. */
    private final class Slot extends UcxCallback {
        private final int index;
        private final boolean receives;

        Slot(int index, boolean receives) {
            this.index = index;
            this.receives = receives;
        }

        @Override
        public void onSuccess(UcpRequest request) {
            if (receives) {
                received(index);
            } else {
                sent(index);
            }
        }

        @Override
        public void onError(int status, String message) {
            throw failed(status, message);
        }
    }

    /** The end of any operation on memory; may be called before the call that started it returns. */
    private static final class Ended extends UcxCallback {
        private int outstanding;

        @Override
        public void onSuccess(UcpRequest request) {
            outstanding--;
        }

        @Override
        public void onError(int status, String message) {
            throw failed(status, message);
        }
    }

    private final UcpContext context;
    private final UcpWorker worker;
    private final String address;
    private final Ended ended = new Ended();
    private @Nullable UcpEndpoint endpoint;
    private final List<Slot> sends = new ArrayList<>();
    private final List<Slot> receives = new ArrayList<>();
    private @Nullable Work current;
    private @Nullable UcpMemory memory;
    private @Nullable UcpRemoteKey key;
    private MemorySegment bytes = MemorySegment.NULL;
    /** What this side puts or gets begins here; what the other side puts begins at 0. */
    private long out;

    private long remote;
    /** The last byte of a put, by which it differs from the one before. */
    private byte turn;

    JucxLink(String lanes, Optional<String> listening) {
        context = new UcpContext(new UcpParams()
                .requestTagFeature()
                .requestRmaFeature()
                .setConfig("TLS", lanes)
                .setConfig("LOG_LEVEL", "error"));
        worker = context.newWorker(new UcpWorkerParams());
        ByteBuffer mine = worker.getAddress();
        byte[] bytesOfMine = new byte[mine.remaining()];
        mine.duplicate().get(bytesOfMine);
        address = Base64.getEncoder().encodeToString(bytesOfMine);
        if (listening.isPresent()) {
            endpoint = newEndpoint(ByteBuffer.wrap(Base64.getDecoder().decode(listening.get())));
            exchange(ADDRESS_TAG, Optional.of(mine));
        }
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public void awaitPeer() {
        if (endpoint == null) {
            endpoint = newEndpoint(exchange(ADDRESS_TAG, Optional.empty()).orElseThrow());
        }
    }

    private UcpEndpoint newEndpoint(ByteBuffer peer) {
        return worker.newEndpoint(new UcpEndpointParams().setUcpAddress(direct(peer)));
    }

    private UcpEndpoint endpoint() {
        return known(endpoint);
    }

    private static <T> T known(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("nobody has connected, or no keys have been exchanged");
        }
        return value;
    }

    private static IllegalStateException failed(int status, String message) {
        return new IllegalStateException("an operation of JUCX failed: status=" + status + ", " + message);
    }

    /** JUCX passes the address of the buffer to UCX, so it must be outside of the heap. */
    private static ByteBuffer direct(ByteBuffer bytes) {
        ByteBuffer copy = ByteBuffer.allocateDirect(bytes.remaining());
        copy.put(bytes).flip();
        return copy;
    }

    /** Sends bytes if there are any, and else receives some; both for keys, which go both ways. */
    private Optional<ByteBuffer> exchange(long tag, Optional<ByteBuffer> mine) {
        boolean both = tag == KEY_TAG;
        ByteBuffer received = ByteBuffer.allocateDirect(ADDRESS_MAX);
        ByteBuffer sent = ByteBuffer.allocateDirect(ADDRESS_MAX);
        mine.ifPresent(bytesOfMine -> sent.putInt(bytesOfMine.remaining()).put(bytesOfMine));
        MemorySegment from = MemorySegment.ofBuffer(sent.clear());
        MemorySegment to = MemorySegment.ofBuffer(received);
        UcpRequest receiving = null;
        if (both || mine.isEmpty()) {
            receiving = worker.recvTaggedNonBlocking(to.address(), ADDRESS_MAX, tag, ALL_BITS, new UcxCallback(), HOST);
        }
        if (mine.isPresent()) {
            await(endpoint().sendTaggedNonBlocking(from.address(), ADDRESS_MAX, tag, new UcxCallback(), HOST));
        }
        if (receiving == null) {
            return Optional.empty();
        }
        await(receiving);
        return Optional.of(received.slice(Integer.BYTES, received.getInt(0)));
    }

    private void await(UcpRequest request) {
        while (!request.isCompleted()) {
            progress();
        }
    }

    @Override
    protected int progress() {
        try {
            return worker.progress();
        } catch (Exception thrown) {
            throw new UcxException("progress failed: " + thrown.getMessage());
        }
    }

    @Override
    protected void postSend(MemorySegment message, int size, int slot) {
        endpoint().sendTaggedNonBlocking(message.address(), size, TAG, callback(sends, slot, false), HOST);
    }

    @Override
    protected void postReceive(MemorySegment buffer, int size, int slot) {
        worker.recvTaggedNonBlocking(buffer.address(), size, TAG, ALL_BITS, callback(receives, slot, true), HOST);
    }

    private Slot callback(List<Slot> slots, int slot, boolean receive) {
        while (slots.size() <= slot) {
            slots.add(new Slot(slots.size(), receive));
        }
        return slots.get(slot);
    }

    @Override
    public void await() {
        throw new IllegalStateException("JUCX spins here");
    }

    /** Maps two buffers that the other side can reach, where the work differs from the work before. */
    @SuppressWarnings("restricted")
    void beginMemory(Work work) {
        if (current != null && work.isLike(current)) {
            return;
        }
        release();
        current = work;
        out = (work.size() + PAGE - 1L) / PAGE * PAGE;
        memory = context.memoryMap(new UcpMemMapParams().allocate().setLength(2 * out));
        bytes = MemorySegment.ofAddress(memory.getAddress())
                .reinterpret(2 * out)
                .fill((byte) 0);
        turn = 0;
    }

    /** Before the first operation on memory each side sends the address and the key of its own. */
    void exchangeKeys() {
        if (key != null) {
            return;
        }
        ByteBuffer packed = known(memory).getRemoteKeyBuffer();
        ByteBuffer mine = ByteBuffer.allocate(Long.BYTES + packed.remaining());
        mine.putLong(bytes.address()).put(packed).flip();
        ByteBuffer theirs = exchange(KEY_TAG, Optional.of(mine)).orElseThrow();
        remote = theirs.getLong();
        key = endpoint().unpackRemoteKey(direct(theirs));
    }

    void putBackAndForth(Work work, Laps times) {
        for (int i = 0; i < work.count(); i++) {
            turn++;
            putTurn(work.size());
            awaitTurn(work.size() - 1L);
            times.lap();
        }
        drain(0);
    }

    void putForthAndBack(Work work) {
        for (int i = 0; i < work.count(); i++) {
            turn++;
            awaitTurn(work.size() - 1L);
            putTurn(work.size());
        }
        drain(0);
    }

    private void putTurn(int length) {
        // The source may change only once the put before has taken it.
        drain(0);
        bytes.set(ValueLayout.JAVA_BYTE, out + length - 1, turn);
        ended.outstanding++;
        endpoint().putNonBlocking(bytes.address() + out, length, remote, known(key), ended, HOST);
    }

    private void awaitTurn(long last) {
        while ((byte) BYTE.getVolatile(bytes, last) != turn) {
            int _ = progress();
        }
    }

    void put(Work work) {
        UcpRemoteKey to = known(key);
        for (int i = 0; i < work.count(); i++) {
            ended.outstanding++;
            endpoint().putNonBlocking(bytes.address() + out, work.size(), remote, to, ended, HOST);
            drain(work.window() - 1);
        }
        drain(0);
        ended.outstanding++;
        endpoint().flushNonBlocking(ended);
        drain(0);
    }

    void get(Work work, Laps times) {
        UcpRemoteKey from = known(key);
        for (int i = 0; i < work.count(); i++) {
            ended.outstanding++;
            endpoint().getNonBlocking(remote, from, bytes.address() + out, work.size(), ended, HOST);
            drain(work.window() - 1);
            times.lap();
        }
        drain(0);
    }

    /** Returns when at most that many operations are in flight. */
    private void drain(int most) {
        while (ended.outstanding > most) {
            int _ = progress();
        }
    }

    void sendEnd() {
        ended.outstanding++;
        endpoint().sendTaggedNonBlocking(bytes.address() + out, 0, END_TAG, ended, HOST);
        drain(0);
    }

    /** Where memory is read this side sleeps, as Fairlead's does; puts may need its progress. */
    void awaitEnd(boolean sleeps) {
        ended.outstanding++;
        worker.recvTaggedNonBlocking(bytes.address(), 0, END_TAG, ALL_BITS, ended, HOST);
        long workedNs = System.nanoTime();
        while (ended.outstanding > 0) {
            if (progress() > 0) {
                workedNs = System.nanoTime();
            } else if (sleeps && System.nanoTime() - workedNs > LOOK_NS) {
                LockSupport.parkNanos(LOOK_NS);
            }
        }
    }

    private void release() {
        if (key != null) {
            key.close();
            key = null;
        }
        if (memory != null) {
            memory.deregister();
            memory = null;
        }
    }

    @Override
    public void close() {
        finish();
        if (key != null) {
            key.close();
            key = null;
        }
        UcpRequest closing = endpoint().closeNonBlockingFlush();
        long deadline = System.nanoTime() + CLOSE_LIMIT_NS;
        while (!closing.isCompleted() && System.nanoTime() - deadline < 0) {
            progress();
        }
        worker.close();
        release();
        context.close();
        super.close();
    }
}
