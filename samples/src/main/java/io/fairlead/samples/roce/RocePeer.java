package io.fairlead.samples.roce;

import io.fairlead.AccessRight;
import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.IdleStrategy;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.Path;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.samples.cli.Address;
import io.fairlead.samples.cli.CommandFailure;
import io.fairlead.samples.cli.ConfigOptions;
import io.fairlead.samples.process.StopSignal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * One of two processes with traffic between them, to which things are done: it tells what it sees of them, a line for each, and lives on.
 * The connector sends rounds of a message and its answer, a put and a get, and connects again after a failure.
 */
@Command(name = "roce-peer", hidden = true, description = "A process of fairlead roce-test.")
public final class RocePeer implements Callable<Integer> {
    private static final int LENGTH = 4096;
    private static final long ROUND_TAG = 1;
    private static final long KEY_TAG = 2;
    private static final int KEY_LENGTH_MAX = 512;
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(500);

    @Option(names = "--connect")
    private Optional<Address> connect = Optional.empty();

    @Option(names = "--listen")
    private Address listen = Address.parse("127.0.0.1:0");

    /** The listener closes its region when this file appears. */
    @Option(names = "--revoke-at")
    private Optional<java.nio.file.Path> revokeAt = Optional.empty();

    /** Connects this often, then ends. */
    @Option(names = "--connections")
    private int connections = 1;

    /** Says how far it is after so many rounds. */
    @Option(names = "--report")
    private long reportRounds = 100;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    private final IdleStrategy idle = IdleStrategy.backOff();

    @Override
    public Integer call() throws InterruptedException {
        try (StopSignal stop = StopSignal.install();
                Arena arena = Arena.ofShared();
                Context context = Context.open(config.load());
                Worker worker = context.newWorker()) {
            stop.onRequest(worker::wakeup);
            if (connect.isPresent()) {
                MemorySegment buffers = arena.allocate(4L * LENGTH);
                for (int count = 0; count < connections && !stop.requested(); count++) {
                    run(worker, connect.get().resolve(), buffers, stop);
                }
                say("ends in order");
            } else {
                serve(context, worker, arena, stop);
            }
        }
        return 0;
    }

    private static void say(String what) {
        System.out.println("roce-peer: " + what);
    }

    // --- the listener ---

    private void serve(Context context, Worker worker, Arena arena, StopSignal stop) {
        MemoryRegion region = context.allocate(LENGTH, EnumSet.allOf(AccessRight.class));
        MemorySegment key = arena.allocate(KEY_LENGTH_MAX);
        byte[] packed = region.packedKey();
        MemorySegment.copy(MemorySegment.ofArray(packed), 0, key, 0, packed.length);
        MemorySegment inbox = arena.allocate(LENGTH);
        Listener listener = worker.listen(listen.resolve(), new EndpointHandler() {
            @Override
            public void connected(Endpoint endpoint) {
                say("accepted " + endpoint.path().map(Path::transport).orElse("?"));
                endpoint.send(key, 0, packed.length, KEY_TAG, Completion.IGNORE, 0);
            }

            @Override
            public void closed(Endpoint endpoint) {
                say("closed");
            }

            @Override
            public void failed(Endpoint endpoint, FairleadException cause) {
                say("failed " + cause.reason() + ": " + cause.getMessage());
            }
        });
        receive(worker, inbox);
        say("listens at " + Address.of(listener.address()));
        boolean revoked = false;
        while (!stop.requested()) {
            idle.idle(worker, worker.progress());
            if (!revoked && revokeAt.isPresent() && Files.exists(revokeAt.get())) {
                region.close();
                revoked = true;
                say("revoked");
            }
        }
        region.close();
    }

    private static void receive(Worker worker, MemorySegment inbox) {
        worker.receive(
                inbox,
                0,
                LENGTH,
                ROUND_TAG,
                Worker.FULL_TAG_MASK,
                done -> {
                    if (done.status() == Status.OK) {
                        done.source()
                                .ifPresent(source ->
                                        source.send(inbox, 0, done.length(), ROUND_TAG, Completion.IGNORE, 0));
                    }
                    if (done.status() != Status.CANCELLED) {
                        receive(worker, inbox);
                    }
                },
                0);
    }

    // --- the connector ---

    /** One connection, until it ends. */
    private void run(Worker worker, InetSocketAddress address, MemorySegment buffers, StopSignal stop) {
        long began = System.nanoTime();
        Endpoint endpoint = worker.connect(address, EndpointHandler.NONE);
        while (endpoint.state() == EndpointState.CONNECTING && !stop.requested()) {
            idle.idle(worker, worker.progress());
        }
        if (endpoint.state() != EndpointState.CONNECTED) {
            endpoint.failure().ifPresent(cause -> say("not connected " + cause.reason() + ": " + cause.getMessage()));
            long until = System.nanoTime() + RETRY_NS;
            while (System.nanoTime() < until && !stop.requested()) {
                idle.idle(worker, worker.progress());
            }
            return;
        }
        say("connected after " + sinceMs(began) + " ms by "
                + endpoint.path()
                        .map(path -> path.transport() + " " + path.device())
                        .orElse("?"));
        endpoint.path().ifPresent(path -> say("path " + path));
        RemoteKey key = key(worker, endpoint, buffers, stop);
        long good = System.nanoTime();
        for (long round = 0; !stop.requested(); round++) {
            Status status = round(worker, endpoint, key, buffers, stop);
            if (status != Status.OK) {
                say("a round ended with " + status + " after " + sinceMs(good) + " ms");
                break;
            }
            if (round % reportRounds == 0) {
                say(round == 0 ? "going" : "went on: rounds=" + round);
            }
            good = System.nanoTime();
        }
        // What the endpoint says of it may come a moment later than the operation's end.
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (endpoint.failure().isEmpty() && System.nanoTime() < until && !stop.requested()) {
            idle.idle(worker, worker.progress());
        }
        endpoint.failure()
                .ifPresentOrElse(
                        cause -> say("failed " + cause.reason() + ": " + cause.getMessage()), () -> say("lives"));
        endpoint.close();
    }

    private static long sinceMs(long began) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    }

    private RemoteKey key(Worker worker, Endpoint endpoint, MemorySegment buffers, StopSignal stop) {
        long[] length = new long[1];
        MemorySegment at = buffers.asSlice(0, KEY_LENGTH_MAX);
        Status status = await(
                worker,
                done -> endpoint.receive(
                        at,
                        0,
                        KEY_LENGTH_MAX,
                        KEY_TAG,
                        Worker.FULL_TAG_MASK,
                        request -> {
                            length[0] = request.length();
                            done.completed(request);
                        },
                        0),
                stop);
        if (status != Status.OK) {
            throw CommandFailure.failed("the listener's key did not come: status=" + status);
        }
        return endpoint.unpack(at.asSlice(0, length[0]).toArray(ValueLayout.JAVA_BYTE));
    }

    /** A message and its answer, a put that is flushed, and a get of it. */
    private Status round(Worker worker, Endpoint endpoint, RemoteKey key, MemorySegment buffers, StopSignal stop) {
        MemorySegment out = buffers.asSlice(LENGTH, LENGTH);
        MemorySegment in = buffers.asSlice(2L * LENGTH, LENGTH);
        MemorySegment back = buffers.asSlice(3L * LENGTH, LENGTH);
        out.fill((byte) System.nanoTime());
        in.fill((byte) 0);
        Status status = await(
                worker,
                done -> {
                    long receive = endpoint.receive(in, 0, LENGTH, ROUND_TAG, Worker.FULL_TAG_MASK, done, 0);
                    if (receive < 0) {
                        return receive;
                    }
                    endpoint.send(out, 0, LENGTH, ROUND_TAG, Completion.IGNORE, 0);
                    return receive;
                },
                stop);
        if (status == Status.OK) {
            status = await(worker, done -> endpoint.put(out, 0, LENGTH, key, 0, done, 0), stop);
        }
        if (status == Status.OK) {
            status = await(worker, done -> endpoint.flush(done, 0), stop);
        }
        if (status == Status.OK) {
            status = await(worker, done -> endpoint.get(back, 0, LENGTH, key, 0, done, 0), stop);
        }
        if (status == Status.OK && (in.mismatch(out) >= 0 || back.mismatch(out) >= 0)) {
            throw CommandFailure.failed("what came back is not what was sent");
        }
        return status;
    }

    private interface Posting {
        long post(Completion done);
    }

    private Status await(Worker worker, Posting posting, StopSignal stop) {
        AtomicBoolean completed = new AtomicBoolean();
        Status[] status = {Status.OK};
        long answer = posting.post((Request request) -> {
            status[0] = request.status();
            completed.set(true);
        });
        if (answer < 0) {
            return Status.of(answer);
        }
        while (!completed.get() && !stop.requested()) {
            idle.idle(worker, worker.progress());
        }
        return status[0];
    }
}
