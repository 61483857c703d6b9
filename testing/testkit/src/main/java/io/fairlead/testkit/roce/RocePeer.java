package io.fairlead.testkit.roce;

import io.fairlead.AccessRight;
import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.IdleStrategy;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.spi.host.HostPort;
import io.fairlead.testkit.Posted;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One of two processes that exchange traffic while a test breaks the network, a device or the other process. It reports what it observes, line by line,
 * and goes on. The connector repeats rounds of a message and its answer, a put and a get, and connects again after a failure. {@link #run} belongs to
 * one thread; {@link #stop} may be called from any.
 */
public final class RocePeer {
    private static final int LENGTH = GuardedRegion.LENGTH;
    private static final long ROUND_TAG = 1;
    private static final long RETRY_MS = 500;

    private final Options options;
    private final Consumer<String> out;
    private final StopRequest stop = new StopRequest();

    /**
     * The task of a peer.
     *
     * @param listen the address to listen on; for the listener only
     * @param connect the listener's address; for the connector only
     * @param revokeAt the file at whose appearance the listener closes its region
     * @param connections after how many connections the connector ends
     * @param reportRounds after how many rounds each the connector reports its progress
     * @param allocateBytes the length in bytes of a region that the connector allocates during the rounds, reporting the result; 0 for none
     */
    public record Options(
            InetSocketAddress listen,
            Optional<InetSocketAddress> connect,
            Optional<Path> revokeAt,
            int connections,
            long reportRounds,
            long allocateBytes) {}

    /**
     * Makes a peer, which does nothing until {@link #run}.
     *
     * @param options the peer's task
     * @param out takes the report, line by line
     */
    public RocePeer(Options options, Consumer<String> out) {
        this.options = options;
        this.out = out;
    }

    /**
     * Runs the peer: a connector until it has connected as often as its task says, a listener until it is stopped.
     *
     * @param config the configuration of its context
     */
    public void run(FairleadConfig config) {
        try (Arena arena = Arena.ofShared();
                Context context = Context.open(config);
                Worker worker = context.newWorker()) {
            stop.onRequest(worker::wakeup);
            RoceLink link = new RoceLink(worker, stop, out);
            if (options.connect().isPresent()) {
                MemorySegment buffers = arena.allocate(4L * LENGTH);
                for (int count = 0; count < options.connections() && !stop.requested(); count++) {
                    run(worker, link, options.connect().get(), buffers);
                }
                link.say("ends in order");
            } else {
                serve(context, worker, link, arena);
            }
        }
    }

    /** Ends the run in order. May be called from any thread. */
    public void stop() {
        stop.request();
    }

    // --- the listener ---

    private void serve(Context context, Worker worker, RoceLink link, Arena arena) {
        try (GuardedRegion region = new GuardedRegion(context, arena)) {
            MemorySegment key = arena.allocate(RoceLink.KEY_LENGTH_MAX);
            byte[] packed = region.packedKey();
            MemorySegment.copy(MemorySegment.ofArray(packed), 0, key, 0, packed.length);
            MemorySegment inbox = arena.allocate(LENGTH);
            Listener listener = worker.listen(options.listen(), new EndpointHandler() {
                @Override
                public void connected(Endpoint endpoint) {
                    link.say("accepted "
                            + endpoint.path().map(io.fairlead.Path::transport).orElse("?"));
                    Posted.started(endpoint.send(key, 0, packed.length, RoceLink.KEY_TAG, Completion.IGNORE, 0));
                }

                @Override
                public void closed(Endpoint endpoint) {
                    link.say("closed");
                    link.say(region.guard());
                }

                @Override
                public void failed(Endpoint endpoint, FairleadException cause) {
                    link.say("failed " + cause.reason() + ": " + cause.getMessage());
                    link.say(region.guard());
                }
            });
            receive(worker, inbox);
            link.say("listens at " + HostPort.text(listener.address()));
            IdleStrategy idle = IdleStrategy.backOff();
            while (!stop.requested()) {
                idle.idle(worker, worker.progress());
                if (!region.closed() && options.revokeAt().filter(Files::exists).isPresent()) {
                    region.revoke();
                    link.say("revoked");
                }
            }
        }
    }

    private static void receive(Worker worker, MemorySegment inbox) {
        Posted.started(worker.receive(
                inbox,
                0,
                LENGTH,
                ROUND_TAG,
                Worker.FULL_TAG_MASK,
                done -> {
                    if (done.status() == Status.OK) {
                        done.source()
                                .ifPresent(source -> Posted.started(
                                        source.send(inbox, 0, done.length(), ROUND_TAG, Completion.IGNORE, 0)));
                    }
                    if (done.status() != Status.CANCELLED) {
                        receive(worker, inbox);
                    }
                },
                0));
    }

    // --- the connector ---

    /** One connection, until it ends. */
    private void run(Worker worker, RoceLink link, InetSocketAddress address, MemorySegment buffers) {
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
                link.say("a round ended with " + status + " after " + RoceLink.sinceMs(good) + " ms");
                break;
            }
            if (round % options.reportRounds() == 0) {
                String transport =
                        endpoint.path().map(io.fairlead.Path::transport).orElse("?");
                link.say(round == 0 ? "going" : "went on: rounds=" + round + ", transport=" + transport);
            }
            if (round == 0 && options.allocateBytes() > 0) {
                allocate(worker.context(), link);
            }
            good = System.nanoTime();
        }
        link.sayHowItEnded(endpoint);
        endpoint.close();
    }

    private void allocate(Context context, RoceLink link) {
        try (MemoryRegion region = context.allocate(options.allocateBytes(), EnumSet.allOf(AccessRight.class))) {
            link.say("region allocated: length=" + region.length());
        } catch (FairleadException refused) {
            link.say("region refused " + refused.reason() + ": " + refused.getMessage());
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
            Posted.started(endpoint.send(out, 0, LENGTH, ROUND_TAG, Completion.IGNORE, 0));
            return receive;
        });
        if (status == Status.OK) {
            status = link.await(done -> endpoint.put(out, 0, LENGTH, key, 0, done, 0));
        }
        if (status == Status.OK) {
            status = link.await(done -> endpoint.flush(done));
        }
        if (status == Status.OK) {
            status = link.await(done -> endpoint.get(back, 0, LENGTH, key, 0, done, 0));
        }
        if (status == Status.OK && (in.mismatch(out) >= 0 || back.mismatch(out) >= 0)) {
            throw new RoceException("what came back is not what was sent");
        }
        return status;
    }
}
