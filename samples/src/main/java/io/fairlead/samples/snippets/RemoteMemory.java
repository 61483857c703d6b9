package io.fairlead.samples.snippets;

import io.fairlead.AccessRight;
import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Worker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** Put and get on the worker API. */
public final class RemoteMemory {
    private RemoteMemory() {}

    /**
     * Writes to and reads from a memory region of its own, as a peer would.
     *
     * @param args none
     */
    public static void main(String[] args) {
        try (Context context = Context.open(FairleadConfig.load());
                Worker worker = context.newWorker();
                Arena arena = Arena.ofConfined()) {
            Listener listener =
                    worker.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE);
            Endpoint endpoint = worker.connect(listener.address(), EndpointHandler.NONE);
            while (endpoint.state() == EndpointState.CONNECTING) {
                worker.progress();
            }
            run(context, worker, endpoint, arena);
        }
    }

    private static void run(Context context, Worker worker, Endpoint endpoint, Arena arena) {
        // @start region="example"
        // One side gives a region of its memory away: the bytes of its key, sent by any means.
        MemoryRegion region = context.allocate(4096, Set.of(AccessRight.READ, AccessRight.WRITE));
        byte[] packedKey = region.packedKey();

        // The other side writes to it and reads from it; nobody there takes part.
        RemoteKey key = endpoint.unpack(packedKey);
        MemorySegment source = arena.allocateFrom("hello, memory");
        endpoint.put(source, key, 1024, Completion.IGNORE);
        AtomicBoolean visible = new AtomicBoolean();
        endpoint.flush(request -> visible.set(true));
        while (!visible.get()) {
            worker.progress();
        }

        MemorySegment target = arena.allocate(64);
        AtomicBoolean here = new AtomicBoolean();
        endpoint.get(target, key, 1024, request -> here.set(true));
        while (!here.get()) {
            worker.progress();
        }
        System.out.println(target.getString(0));
        // @end
    }
}
