package io.fairlead.cli.doctor;

import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.IdleStrategy;
import io.fairlead.Listener;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.process.StopSignal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/** One of the two processes of {@link PairCheck}: it listens and returns a message, or connects and gets its message back. */
@Command(name = DoctorPeer.NAME, hidden = true, description = "A process of fairlead doctor.")
public final class DoctorPeer implements Callable<Integer> {
    static final String NAME = "doctor-peer";

    /** What its answer starts with, since libraries may write to standard output too. */
    static final String MARK = "doctor-peer: ";

    /** Beyond what is sent ahead of a receive, so that both ways of sending are tried. */
    private static final long LENGTH = 1 << 20;

    private static final long TAG = 1;

    @Option(names = "--connect")
    private Optional<Address> connect = Optional.empty();

    @Option(names = "--timeout-s", defaultValue = "10")
    private long timeoutS = 10;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() {
        FairleadConfig settings = config.load();
        // The arena closes last, since what is in flight may use the buffers until the worker is closed.
        try (StopSignal stop = StopSignal.install();
                Arena arena = Arena.ofShared();
                Context context = Context.open(settings);
                Worker worker = context.newWorker()) {
            stop.onRequest(worker::wakeup);
            MemorySegment inbox = arena.allocate(LENGTH);
            if (connect.isPresent()) {
                MemorySegment outbox = arena.allocate(LENGTH).fill((byte) 7);
                exchange(worker, outbox, inbox, connect.get().resolve(), stop);
            } else {
                serve(worker, inbox, stop);
            }
        }
        return 0;
    }

    private static void serve(Worker worker, MemorySegment inbox, StopSignal stop) {
        Listener listener =
                worker.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE);
        receive(worker, inbox, done -> post(done.source().orElseThrow(), inbox));
        System.out.println(MARK + Address.of(listener.address()));
        IdleStrategy idle = IdleStrategy.backOff();
        while (!stop.requested()) {
            idle.idle(worker, worker.progress());
        }
    }

    private void exchange(
            Worker worker, MemorySegment outbox, MemorySegment inbox, InetSocketAddress address, StopSignal stop) {
        Endpoint endpoint = worker.connect(address, EndpointHandler.NONE);
        await(worker, endpoint, () -> endpoint.state() == EndpointState.CONNECTED, "to connect", stop);
        AtomicBoolean received = new AtomicBoolean();
        receive(worker, inbox, done -> received.set(true));
        post(endpoint, outbox);
        await(worker, endpoint, received::get, "for its message to come back", stop);
        if (inbox.mismatch(outbox) >= 0) {
            throw CommandFailure.failed("the message came back with another content: transport="
                    + endpoint.path().orElseThrow().transport());
        }
        System.out.println(MARK
                + JsonMapper.shared()
                        .writeValueAsString(PathReport.of(endpoint.path().orElseThrow())));
    }

    private static void receive(Worker worker, MemorySegment inbox, Completion completion) {
        long answer = worker.receive(inbox, TAG, completion);
        checkPosted("receive", answer);
    }

    private static void post(Endpoint endpoint, MemorySegment buffer) {
        checkPosted("send", endpoint.send(buffer, TAG, Completion.IGNORE));
    }

    private static void checkPosted(String call, long answer) {
        if (answer < 0) {
            throw CommandFailure.failed(call + " was refused: status=" + Status.of(answer));
        }
    }

    private void await(Worker worker, Endpoint endpoint, BooleanSupplier done, String purpose, StopSignal stop) {
        IdleStrategy idle = IdleStrategy.backOff();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeoutS);
        while (!done.getAsBoolean()) {
            idle.idle(worker, worker.progress());
            Optional<FairleadException> failure = endpoint.failure();
            if (failure.isPresent()) {
                throw failure.get();
            }
            if (stop.requested() || System.nanoTime() - deadline >= 0) {
                throw CommandFailure.failed(
                        "waited " + purpose + " until " + (stop.requested() ? "stopped" : timeoutS + " s had passed"));
            }
        }
    }
}
