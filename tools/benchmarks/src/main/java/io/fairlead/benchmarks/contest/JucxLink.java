package io.fairlead.benchmarks.contest;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Optional;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpRequestParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/** Tagged messages of JUCX over UCX's shared memory, as its own examples send them; with one callback for each place of the window, and not for each message. */
final class JucxLink implements Link {
    private static final long TAG = 1;
    private static final long ADDRESS_TAG = 2;
    private static final long ALL_BITS = -1;
    private static final int ADDRESS_MAX = 4096;
    /** Turns without anything after which all has left that can. */
    private static final int IDLE_TURNS = 100;
    /** JUCX must not choose the memory type: its constant for "unknown" means another type to another UCX. */
    private static final UcpRequestParams HOST = new UcpRequestParams().setMemoryType(0);

    /** A place of the window: an operation that is on its way. */
    private final class Slot extends UcxCallback {
        private final int index;
        private final boolean receives;
        private boolean busy;
        /** Of the message that it is for. */
        private long number;

        Slot(int index, boolean receives) {
            this.index = index;
            this.receives = receives;
        }

        @Override
        public void onSuccess(UcpRequest request) {
            busy = false;
            if (receives) {
                received(this);
            }
        }

        @Override
        public void onError(int status, String message) {
            throw new IllegalStateException("an operation of JUCX failed: status=" + status + ", " + message);
        }
    }

    private final UcpContext context = new UcpContext(
            new UcpParams().requestTagFeature().setConfig("TLS", Contest.LANES).setConfig("LOG_LEVEL", "error"));
    private final UcpWorker worker = context.newWorker(new UcpWorkerParams());
    private final UcpEndpoint endpoint;
    private Window window = new Window(1, 0, 0);
    private MemorySegment[] outgoing = {};
    private MemorySegment[] inbox = {};
    private Slot[] sends = {};
    private int size;
    private int missing;
    private long posted;
    private int taken;
    /** The place of the next message to be sent. */
    private int next;

    private JucxLink(Optional<String> listening, Address address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = arena.allocate(ADDRESS_MAX);
            endpoint = listening.isPresent() ? meet(listening.get(), message) : meet(address, message);
        }
    }

    /** Connects to whom it knows, and says who it is. */
    private UcpEndpoint meet(String listening, MemorySegment message) {
        UcpEndpoint met =
                worker.newEndpoint(peer(ByteBuffer.wrap(Base64.getDecoder().decode(listening))));
        ByteBuffer mine = worker.getAddress();
        message.asByteBuffer().putInt(mine.remaining()).put(mine);
        await(met.sendTaggedNonBlocking(message.address(), ADDRESS_MAX, ADDRESS_TAG, new UcxCallback(), HOST));
        return met;
    }

    /** Says who it is, and hears who has connected. */
    private UcpEndpoint meet(Address address, MemorySegment message) {
        ByteBuffer mine = worker.getAddress();
        byte[] bytes = new byte[mine.remaining()];
        mine.get(bytes);
        address.tell(Base64.getEncoder().encodeToString(bytes));
        await(worker.recvTaggedNonBlocking(
                message.address(), ADDRESS_MAX, ADDRESS_TAG, ALL_BITS, new UcxCallback(), HOST));
        ByteBuffer heard = message.asByteBuffer();
        return worker.newEndpoint(peer(heard.slice(Integer.BYTES, heard.getInt())));
    }

    static JucxLink listen(Address address) {
        return new JucxLink(Optional.empty(), address);
    }

    static JucxLink connect(String address) {
        return new JucxLink(Optional.of(address), _ -> {});
    }

    /** JUCX hands the address of the buffer to UCX, so it must be outside of the heap. */
    private static UcpEndpointParams peer(ByteBuffer address) {
        ByteBuffer direct = ByteBuffer.allocateDirect(address.remaining());
        direct.put(address).flip();
        return new UcpEndpointParams().setUcpAddress(direct);
    }

    private void await(UcpRequest request) {
        while (!request.isCompleted()) {
            progress();
        }
    }

    private int progress() {
        try {
            return worker.progress();
        } catch (Exception thrown) {
            throw new UcxException("progress failed: " + thrown.getMessage());
        }
    }

    @Override
    public void begin(int bytes, int outgoingMessages, int incomingMessages, int inFlight) {
        finish();
        window.close();
        window = new Window(bytes, Math.min(outgoingMessages, inFlight), Math.min(incomingMessages, inFlight));
        size = bytes;
        outgoing = window.outgoing();
        sends = new Slot[outgoing.length];
        inbox = window.inbox();
        for (int i = 0; i < sends.length; i++) {
            sends[i] = new Slot(i, false);
        }
        missing = incomingMessages;
        posted = 0;
        taken = 0;
        next = 0;
        for (int i = 0; i < inbox.length; i++) {
            post(new Slot(i, true));
        }
    }

    @Override
    public void finish() {
        for (Slot slot : sends) {
            while (slot.busy) {
                progress();
            }
        }
        for (int idle = 0; idle < IDLE_TURNS; ) {
            idle = progress() == 0 ? idle + 1 : 0;
        }
    }

    @Override
    public void send(long number) {
        Slot slot = sends[next];
        next = next + 1 == sends.length ? 0 : next + 1;
        while (slot.busy) {
            progress();
        }
        MemorySegment message = outgoing[slot.index];
        Payload.write(message, size, number);
        slot.busy = true;
        endpoint.sendTaggedNonBlocking(message.address(), size, TAG, slot, HOST);
    }

    private void post(Slot slot) {
        if (missing == 0) {
            return;
        }
        slot.number = posted;
        slot.busy = true;
        posted++;
        missing--;
        worker.recvTaggedNonBlocking(inbox[slot.index].address(), size, TAG, ALL_BITS, slot, HOST);
    }

    /** The message that it was posted for, whatever the order of completions. */
    private void received(Slot slot) {
        Payload.check(inbox[slot.index], size, slot.number);
        taken++;
        post(slot);
    }

    /** What is not on its way yet goes with the progress that waiting makes. */
    @Override
    public void flush() {}

    @Override
    public int poll() {
        progress();
        int since = taken;
        taken = 0;
        return since;
    }

    @Override
    public void await() {
        throw new IllegalStateException("JUCX spins here");
    }

    @Override
    public void close() {
        finish();
        await(endpoint.closeNonBlockingFlush());
        worker.close();
        context.close();
        window.close();
    }
}
