package io.fairlead.cli.perf;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.IdleStrategy;
import io.fairlead.Listener;
import io.fairlead.Worker;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.cli.measure.Jvm;
import io.fairlead.cli.measure.Work;
import io.fairlead.config.ConfigKeys;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The following side of {@code fairlead perf}: does what the leading side tells it in lines of text, for one client after the other.
 *
 * <p>{@code run WORK} is answered by {@code ready} before and by {@code done BYTES} after the turn; anything that fails by {@code error} and the
 * cause.
 */
public final class PerfServer {
    /** Before a turn's work. */
    static final String RUN = "run ";

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final FairleadConfig config;
    private final BooleanSupplier stop;
    private final Requests more;

    /** What a server is asked beside measurements; on the worker's thread, for one client after the other. */
    public interface Requests {
        /** For a server that measures only. */
        Requests NONE = (worker, client, dialogue, words) -> Optional.empty();

        /** Does what a line asks, and returns the answer; empty for a line that is not known. */
        Optional<String> answer(Worker worker, Endpoint client, Dialogue dialogue, String[] words);

        /** A client's signal came. */
        default void signalled(long value) {}

        /** The client is gone and its endpoint closed. */
        default void ended() {}
    }

    public PerfServer(FairleadConfig config, BooleanSupplier stop) {
        this(config, stop, Requests.NONE);
    }

    public PerfServer(FairleadConfig config, BooleanSupplier stop, Requests more) {
        this.config = patient(config);
        this.stop = stop;
        this.more = more;
    }

    /** Contestants take turns, and one makes no progress while another has its own. */
    public static FairleadConfig patient(FairleadConfig config) {
        if (!config.value(ConfigKeys.STALL_TIMEOUT).equals(ConfigKeys.STALL_TIMEOUT.defaultValue())) {
            return config;
        }
        Duration liveness = config.value(ConfigKeys.LIVENESS_TIMEOUT);
        return config.with(ConfigKeys.STALL_TIMEOUT, liveness.compareTo(PATIENCE) > 0 ? liveness : PATIENCE);
    }

    /** To spin, unless the user has said otherwise. */
    static IdleStrategy idle(FairleadConfig config) {
        return config.origin(ConfigKeys.IDLE_STRATEGY).equals("default")
                ? IdleStrategy.busySpin()
                : IdleStrategy.named(config.value(ConfigKeys.IDLE_STRATEGY));
    }

    /**
     * Serves until stopped.
     *
     * @param listen where
     * @param clientsMax after how many clients to end
     * @param listening told the address as soon as clients can connect
     */
    public void run(Address listen, long clientsMax, Consumer<Address> listening) {
        Queue<Endpoint> clients = new ArrayDeque<>();
        EndpointHandler handler = new EndpointHandler() {
            @Override
            public void connected(Endpoint endpoint) {
                clients.add(endpoint);
            }

            @Override
            public void signalled(Endpoint endpoint, long value) {
                more.signalled(value);
            }
        };
        try (Context context = Context.open(config);
                MetricsPort _ = MetricsPort.open(context);
                Worker worker = context.newWorker()) {
            Listener listener = worker.listen(listen.resolve(), handler);
            listening.accept(Address.of(listener.address()));
            for (long served = 0; served < clientsMax && !stop.getAsBoolean(); served++) {
                Dialogue.await(worker, () -> !clients.isEmpty() || stop.getAsBoolean(), Long.MAX_VALUE);
                Endpoint client = clients.poll();
                if (client == null) {
                    continue;
                }
                try {
                    serve(worker, client);
                } catch (FairleadException gone) {
                    // Whoever has started a server for a single client sees by itself that the client is gone.
                    if (clientsMax > 1) {
                        System.err.println("fairlead: a client is gone: " + gone.getMessage());
                    }
                }
            }
        }
    }

    private void serve(Worker worker, Endpoint client) {
        FairleadSide side = new FairleadSide(worker, client, idle(config));
        try (Dialogue dialogue = new Dialogue(worker, client)) {
            Optional<String> line = dialogue.hear(stop, Long.MAX_VALUE);
            while (line.isPresent()) {
                dialogue.say(answer(worker, client, side, dialogue, line.get()));
                line = dialogue.hear(stop, Long.MAX_VALUE);
            }
        } finally {
            client.close();
            side.close();
            more.ended();
        }
    }

    private String answer(Worker worker, Endpoint client, FairleadSide side, Dialogue dialogue, String line) {
        try {
            return line.startsWith(RUN)
                    ? run(side, dialogue, Work.parse(line.substring(RUN.length())))
                    : more.answer(worker, client, dialogue, line.split(" ", -1))
                            .orElseGet(() -> "error unknown request: " + line.split(" ", 2)[0]
                                    + "; the other side is another release of Fairlead, or another command");
        } catch (CommandFailure | FairleadException failed) {
            return "error " + failed.getMessage();
        } catch (RuntimeException failed) {
            // Whatever one client asks for, the server is there for the next.
            return "error " + failed;
        }
    }

    private static String run(FairleadSide side, Dialogue dialogue, Work work) {
        side.begin(work, false);
        dialogue.say("ready");
        long before = Jvm.allocated();
        side.follow(work);
        long allocated = Jvm.allocated() - before;
        side.finish();
        return "done " + allocated;
    }
}
