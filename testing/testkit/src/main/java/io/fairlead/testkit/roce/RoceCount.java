package io.fairlead.testkit.roce;

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
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.testkit.Posted;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.function.Consumer;

/**
 * Measures the processor time of single operations of 8 bytes between two workers of one thread, so that no side waits for another process. In a guest
 * whose clock counts instructions that time is a count of them, whatever else this host does. Belongs to one thread.
 */
public final class RoceCount {
    private static final int LENGTH = 8;
    private static final long TAG = 1;
    private static final int ROUNDS = 9;
    private static final int BLOCK = 50;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final int warmUp;
    private final int operations;
    private final Consumer<String> out;
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    /** The number of the last operation. */
    private long number;

    /**
     * Makes a measurement, which begins with {@link #run}.
     *
     * @param warmUp operations of each kind before those that are measured, a multiple of 50
     * @param operations operations of each kind in each of nine rounds, a multiple of 50
     * @param out takes one line for each round
     */
    public RoceCount(int warmUp, int operations, Consumer<String> out) {
        this.warmUp = warmUp;
        this.operations = operations;
        this.out = out;
    }

    /** One operation of 8 bytes, until it has completed. */
    private interface Kind {
        void run(long number);
    }

    /**
     * Measures puts, gets, and messages.
     *
     * @param config the configuration of the context
     */
    public void run(FairleadConfig config) {
        try (Arena arena = Arena.ofShared();
                Context context = Context.open(config);
                Worker here = context.newWorker();
                Worker there = context.newWorker();
                MemoryRegion region = context.allocate(4096, EnumSet.allOf(AccessRight.class))) {
            Endpoint[] accepted = new Endpoint[1];
            Listener listener =
                    there.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new EndpointHandler() {
                        @Override
                        public void connected(Endpoint endpoint) {
                            accepted[0] = endpoint;
                        }
                    });
            RoceLink link = new RoceLink(here, new StopRequest(), out);
            Endpoint endpoint = here.connect(listener.address(), EndpointHandler.NONE);
            link.progressUntil(
                    () -> {
                        there.progress();
                        return accepted[0] != null && endpoint.state() == EndpointState.CONNECTED;
                    },
                    60_000);
            link.say("path " + endpoint.path().orElseThrow());
            measure(here, there, endpoint, accepted[0], region, arena);
        }
    }

    private void measure(
            Worker here, Worker there, Endpoint endpoint, Endpoint accepted, MemoryRegion region, Arena arena) {
        MemorySegment target = region.segment();
        MemorySegment local = arena.allocate(LENGTH, LENGTH);
        long[] ended = new long[1];
        Completion count = request -> {
            check(request);
            ended[0]++;
        };
        try (RemoteKey key = endpoint.unpack(region.packedKey())) {
            report("put", number -> {
                local.set(ValueLayout.JAVA_LONG, 0, number);
                Posted.started(endpoint.put(local, 0, LENGTH, key, 0, Completion.IGNORE, 0));
                while ((long) LONG.getAcquire(target, 0L) != number) {
                    here.progress();
                }
            });
            report("put and flush", number -> {
                long before = ended[0];
                local.set(ValueLayout.JAVA_LONG, 0, number);
                Posted.started(endpoint.put(local, 0, LENGTH, key, 0, Completion.IGNORE, 0));
                Posted.started(endpoint.flush(count, 0));
                while (ended[0] == before) {
                    here.progress();
                }
            });
            report("get", _ -> {
                long before = ended[0];
                Posted.started(endpoint.get(local, 0, LENGTH, key, 0, count, 0));
                while (ended[0] == before) {
                    here.progress();
                }
            });
        }
        report("send and receive", _ -> {
            long before = ended[0];
            Posted.started(accepted.receive(target, 0, LENGTH, TAG, Worker.FULL_TAG_MASK, count, 0));
            Posted.started(endpoint.send(local, 0, LENGTH, TAG, Completion.IGNORE, 0));
            while (ended[0] == before) {
                here.progress();
                there.progress();
            }
        });
    }

    private static void check(Request request) {
        if (request.status() != Status.OK) {
            throw new RoceException("an operation ended with " + request.status());
        }
    }

    private void report(String name, Kind kind) {
        for (int i = 0; i < warmUp / BLOCK; i++) {
            runBlock(kind);
        }
        for (int round = 0; round < ROUNDS; round++) {
            long beganNs = threads.getCurrentThreadCpuTime();
            for (int i = 0; i < operations / BLOCK; i++) {
                runBlock(kind);
            }
            out.accept("count: " + name + ": " + (threads.getCurrentThreadCpuTime() - beganNs) / operations + " ns");
        }
    }

    /** The inner loop. It is called often enough to be compiled, unlike one that is entered once a round. */
    private void runBlock(Kind kind) {
        for (int i = 0; i < BLOCK; i++) {
            kind.run(++number);
        }
    }
}
