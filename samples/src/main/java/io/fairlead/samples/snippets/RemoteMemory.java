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
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** Put and get on the worker API. */
public final class RemoteMemory {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

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
            Listener listener = worker.listen("127.0.0.1:0", EndpointHandler.NONE);
            Endpoint endpoint = worker.connect(listener.address(), EndpointHandler.NONE);
            if (worker.progressUntil(() -> endpoint.state() == EndpointState.CONNECTED, TIMEOUT)) {
                run(context, worker, endpoint, arena);
            }
        }
    }

    private static void run(Context context, Worker worker, Endpoint endpoint, Arena arena) {
        // @start region="example"
        // One side shares a region of its memory by the bytes of a key, which it sends by any means.
        MemoryRegion region = context.allocate(4096, Set.of(AccessRight.READ, AccessRight.WRITE));
        byte[] packedKey = region.packedKey();

        // The other side writes the region and reads it, without code on the owner's side.
        RemoteKey key = endpoint.unpack(packedKey);
        MemorySegment source = arena.allocateFrom("hello, memory");
        MemorySegment target = arena.allocate(64);
        AtomicReference<Status> flushed = new AtomicReference<>();
        AtomicReference<Status> read = new AtomicReference<>();
        // A post returns a negative number if it has started nothing; progressUntil posts it again until it has.
        boolean done = worker.progressUntil(() -> endpoint.put(source, key, 1024, Completion.IGNORE) > 0, TIMEOUT)
                && worker.progressUntil(() -> endpoint.flush(request -> flushed.set(request.status())) > 0, TIMEOUT)
                && worker.progressUntil(() -> flushed.get() == Status.OK, TIMEOUT)
                && worker.progressUntil(
                        () -> endpoint.get(target, key, 1024, request -> read.set(request.status())) > 0, TIMEOUT)
                && worker.progressUntil(() -> read.get() == Status.OK, TIMEOUT);
        System.out.println(done ? target.getString(0) : "failed: " + flushed.get() + " " + read.get());
        // @end
    }
}
