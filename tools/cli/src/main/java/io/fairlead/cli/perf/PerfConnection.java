package io.fairlead.cli.perf;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Path;
import io.fairlead.Worker;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Jvm;
import io.fairlead.cli.measure.Laps;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.util.concurrent.TimeUnit;

/** A connection to a {@link PerfServer}, of the side that leads. Belongs to one thread. */
public final class PerfConnection implements Contestant {
    private static final long ANSWER_LIMIT_NS = TimeUnit.MINUTES.toNanos(2);
    private static final long FIRST_ANSWER_LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    private final Address server;
    private final Worker worker;
    private final Endpoint endpoint;
    private final Dialogue dialogue;
    private final FairleadSide side;
    private final Laps laps = new Laps();
    private long answerLimitNs = FIRST_ANSWER_LIMIT_NS;

    public PerfConnection(Context context, FairleadConfig config, Address server) {
        this.server = server;
        worker = context.newWorker();
        try {
            endpoint = worker.connect(server.resolve(), EndpointHandler.NONE);
            Dialogue.await(worker, () -> endpoint.state() != EndpointState.CONNECTING, Long.MAX_VALUE);
            if (endpoint.failure().isPresent()) {
                throw endpoint.failure().get();
            }
            dialogue = new Dialogue(worker, endpoint);
            side = new FairleadSide(worker, endpoint, PerfServer.idle(config));
        } catch (RuntimeException failed) {
            worker.close();
            throw failed;
        }
    }

    public Path path() {
        return endpoint.path().orElseThrow();
    }

    public Worker worker() {
        return worker;
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public String title() {
        return PerfResult.FAIRLEAD;
    }

    /** A turn that this process leads, and the server follows. */
    @Override
    public Turn turn(Work work) {
        laps.reset(work);
        side.begin(work, true);
        ask(PerfServer.RUN + work.text());
        long before = Jvm.allocated();
        side.lead(work, laps);
        long allocated = Jvm.allocated() - before;
        side.finish();
        long allocatedThere = Long.parseLong(hear().split(" ", -1)[1]);
        return Turn.of(work, laps, (double) Math.max(allocated, allocatedThere));
    }

    @Override
    public void rest() {
        Jvm.awaitCompilers();
    }

    /** Says a line and returns the answer. */
    public String ask(String line) {
        dialogue.say(line);
        return hear();
    }

    public String hear() {
        String answer = dialogue.hear(() -> false, answerLimitNs)
                .orElseThrow(() -> CommandFailure.failed("no answer from " + server
                        + endpoint.failure()
                                .map(cause -> ": " + cause.getMessage())
                                .orElse("")
                        + "; is a fairlead perf server of this release there?"));
        answerLimitNs = ANSWER_LIMIT_NS;
        if (answer.startsWith("error ")) {
            throw CommandFailure.failed("the other side failed: " + answer.substring("error ".length()));
        }
        return answer;
    }

    @Override
    public void close() {
        // The endpoint first, so that nothing that it has posted outlives the dialogue's buffers.
        endpoint.close();
        side.close();
        dialogue.close();
        worker.close();
    }
}
