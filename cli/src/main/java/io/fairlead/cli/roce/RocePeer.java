package io.fairlead.cli.roce;

import static io.fairlead.cli.roce.RoceLink.say;

import io.fairlead.AccessRight;
import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.IdleStrategy;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.Path;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.process.StopSignal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * One of two processes with traffic between them, to which things are done: it tells what it sees of them, a line for each, and lives on.
 * The connector sends rounds of a message and its answer, a put and a get, and connects again after a failure.
 */
@Command(name = "roce-peer", hidden = true, description = "A process of fairlead roce-test.")
public final class RocePeer implements Callable<Integer> {
    private static final int LENGTH = GuardedRegion.LENGTH;
    private static final long ROUND_TAG = 1;
    private static final long RETRY_MS = 500;

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

    /** The connector asks for a region of so many bytes once it is going, and tells what came of it. */
    @Option(names = "--allocate")
    private long allocateBytes;

    @Override
    public Integer call() throws InterruptedException {
        try (StopSignal stop = StopSignal.install();
                Arena arena = Arena.ofShared();
                Context context = Context.open(config.load());
                Worker worker = context.newWorker()) {
            stop.onRequest(worker::wakeup);
            if (connect.isPresent()) {
                RoceLink link = new RoceLink(worker, stop);
                MemorySegment buffers = arena.allocate(4L * LENGTH);
                for (int count = 0; count < connections && !stop.requested(); count++) {
                    run(worker, link, connect.get().resolve(), buffers, stop);
                }
                say("ends in order");
            } else {
                serve(context, worker, arena, stop);
            }
        }
        return 0;
    }

    // --- the listener ---

    private void serve(Context context, Worker worker, Arena arena, StopSignal stop) {
        try (GuardedRegion region = new GuardedRegion(context, arena)) {
            MemorySegment key = arena.allocate(RoceLink.KEY_LENGTH_MAX);
            byte[] packed = region.packedKey();
            MemorySegment.copy(MemorySegment.ofArray(packed), 0, key, 0, packed.length);
            MemorySegment inbox = arena.allocate(LENGTH);
            Listener listener = worker.listen(listen.resolve(), new EndpointHandler() {
                @Override
                public void connected(Endpoint endpoint) {
                    say("accepted " + endpoint.path().map(Path::transport).orElse("?"));
                    endpoint.send(key, 0, packed.length, RoceLink.KEY_TAG, Completion.IGNORE, 0);
                }

                @Override
                public void closed(Endpoint endpoint) {
                    say("closed");
                    say(region.guard());
                }

                @Override
                public void failed(Endpoint endpoint, FairleadException cause) {
                    say("failed " + cause.reason() + ": " + cause.getMessage());
                    say(region.guard());
                }
            });
            receive(worker, inbox);
            say("listens at " + Address.of(listener.address()));
            IdleStrategy idle = IdleStrategy.backOff();
            while (!stop.requested()) {
                idle.idle(worker, worker.progress());
                if (!region.closed() && revokeAt.isPresent() && Files.exists(revokeAt.get())) {
                    region.revoke();
                    say("revoked");
                }
            }
        }
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
    private void run(Worker worker, RoceLink link, InetSocketAddress address, MemorySegment buffers, StopSignal stop) {
        Optional<Endpoint> connected = link.connect(address);
        if (connected.isEmpty()) {
            link.progressUntil(() -> false, RETRY_MS);
            return;
        }
        Endpoint endpoint = connected.get();
        RemoteKey key = endpoint.unpack(link.key(endpoint, buffers));
        long good = System.nanoTime();
        for (long round = 0; !stop.requested(); round++) {
            Status status = round(link, endpoint, key, buffers);
            if (status != Status.OK) {
                say("a round ended with " + status + " after " + RoceLink.sinceMs(good) + " ms");
                break;
            }
            if (round % reportRounds == 0) {
                say(round == 0 ? "going" : "went on: rounds=" + round);
            }
            if (round == 0 && allocateBytes > 0) {
                allocate(worker.context());
            }
            good = System.nanoTime();
        }
        link.sayHowItEnded(endpoint);
        endpoint.close();
    }

    private void allocate(Context context) {
        try (MemoryRegion region = context.allocate(allocateBytes, EnumSet.allOf(AccessRight.class))) {
            say("region allocated: length=" + region.length());
        } catch (FairleadException refused) {
            say("region refused " + refused.reason() + ": " + refused.getMessage());
        }
    }

    /** A message and its answer, a put that is flushed, and a get of it. */
    private static Status round(RoceLink link, Endpoint endpoint, RemoteKey key, MemorySegment buffers) {
        MemorySegment out = buffers.asSlice(LENGTH, LENGTH);
        MemorySegment in = buffers.asSlice(2L * LENGTH, LENGTH);
        MemorySegment back = buffers.asSlice(3L * LENGTH, LENGTH);
        out.fill((byte) System.nanoTime());
        in.fill((byte) 0);
        Status status = link.await(done -> {
            long receive = endpoint.receive(in, 0, LENGTH, ROUND_TAG, Worker.FULL_TAG_MASK, done, 0);
            if (receive < 0) {
                return receive;
            }
            endpoint.send(out, 0, LENGTH, ROUND_TAG, Completion.IGNORE, 0);
            return receive;
        });
        if (status == Status.OK) {
            status = link.await(done -> endpoint.put(out, 0, LENGTH, key, 0, done, 0));
        }
        if (status == Status.OK) {
            status = link.await(done -> endpoint.flush(done, 0));
        }
        if (status == Status.OK) {
            status = link.await(done -> endpoint.get(back, 0, LENGTH, key, 0, done, 0));
        }
        if (status == Status.OK && (in.mismatch(out) >= 0 || back.mismatch(out) >= 0)) {
            throw CommandFailure.failed("what came back is not what was sent");
        }
        return status;
    }
}
