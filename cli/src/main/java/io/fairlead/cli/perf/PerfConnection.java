package io.fairlead.cli.perf;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.IdleStrategy;
import io.fairlead.Path;
import io.fairlead.Worker;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.Contestant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The leading side of {@code fairlead perf}: connected to a {@link PerfServer}. Belongs to one thread. */
public final class PerfConnection implements AutoCloseable {
    private static final long ANSWER_LIMIT_NS = TimeUnit.MINUTES.toNanos(2);
    private static final long FIRST_ANSWER_LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    private final FairleadConfig config;
    private final Address server;
    private final Worker worker;
    private final Endpoint endpoint;
    private final Dialogue dialogue;
    private long answerLimitNs = FIRST_ANSWER_LIMIT_NS;
    private final Rivals rivals = new Rivals();

    public PerfConnection(Context context, FairleadConfig config, Address server) {
        this.config = config;
        this.server = server;
        worker = context.newWorker();
        try {
            endpoint = worker.connect(server.resolve(), EndpointHandler.NONE);
            Dialogue.await(worker, () -> endpoint.state() != EndpointState.CONNECTING, Long.MAX_VALUE);
            if (endpoint.failure().isPresent()) {
                throw endpoint.failure().get();
            }
            dialogue = new Dialogue(worker, endpoint);
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

    /** Opens both sides of a test over Fairlead. */
    Pairing fairlead(PerfCase perfCase) {
        IdleStrategy idle = PerfServer.idle(config);
        return open(
                PerfServer.FAIRLEAD,
                perfCase,
                "-",
                perfCase.test().fairlead(worker, endpoint, idle, perfCase.size(), perfCase.window()));
    }

    /** The rivals that run in these two processes. */
    List<String> rivals() {
        return rivals.names();
    }

    /** Opens both sides of a rival's test; empty for what it cannot do. */
    Optional<Pairing> rival(String name, PerfCase perfCase, String lanes) {
        return rivals.named(name, lanes)
                .flatMap(rival -> rival.contestant(perfCase.test(), perfCase.size(), perfCase.window()))
                .map(contestant -> open(name, perfCase, lanes, contestant));
    }

    private Pairing open(String subject, PerfCase perfCase, String lanes, Contestant contestant) {
        String answer = ask(String.join(
                " ",
                "open",
                subject,
                perfCase.test().label(),
                String.valueOf(perfCase.size()),
                String.valueOf(perfCase.window()),
                lanes,
                Base64.getEncoder().encodeToString(contestant.introduction())));
        contestant.meet(Base64.getDecoder().decode(answer.split(" ", -1)[1]));
        return new Pairing(this, subject, perfCase, contestant);
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
        rivals.close();
        // The endpoint first, so that nothing that it has posted outlives the dialogue's buffers.
        endpoint.close();
        dialogue.close();
        worker.close();
    }
}
