package io.fairlead.cli.perf;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.TransportInfo;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What {@code fairlead perf --compare} has beside Fairlead over shared memory: UCX's C program, and Fairlead over UCX's own shared memory, which has a
 * context and a server process to itself, so that neither path carries a part of the other. Belongs to one thread.
 */
final class PerfComparison implements AutoCloseable {
    /** What carries Fairlead's own figures. */
    static final String TRANSPORT = "shm";

    private static final String UCX = "ucx";
    private static final String LANES_KEY = "ucx.tls";

    private final Perftest perftest;
    private final String lanes;
    private final Optional<OverUcx> overUcx;

    private record OverUcx(PerfChild server, Context context, PerfConnection connection) {
        static OverUcx connect(FairleadConfig config, List<String> arguments) {
            List<String> all = new ArrayList<>(arguments);
            all.add("--transport=" + UCX);
            PerfChild server = PerfChild.start(all);
            Context context = null;
            try {
                context = Context.open(config);
                return new OverUcx(server, context, new PerfConnection(context, config, server.address()));
            } catch (RuntimeException failed) {
                if (context != null) {
                    context.close();
                }
                server.close();
                throw failed;
            }
        }

        void close() {
            try (server;
                    context) {
                connection.close();
            }
        }
    }

    private PerfComparison(Perftest perftest, String lanes, Optional<OverUcx> overUcx) {
        this.perftest = perftest;
        this.lanes = lanes;
        this.overUcx = overUcx;
    }

    /**
     * Finds the program, and connects over UCX where it can be used; where it cannot, says so on standard error.
     *
     * @param config what Fairlead over shared memory is configured with
     * @param transports what can be used here
     * @param arguments of a server process, to which the transport is added
     */
    static PerfComparison open(FairleadConfig config, List<TransportInfo> transports, List<String> arguments) {
        String lanes = lanes(config);
        Perftest perftest = Perftest.find(lanes)
                .orElseThrow(() -> CommandFailure.failed(
                        "--compare needs ucx_perftest, which is not in PATH; install the package " + Perftest.PACKAGE));
        Optional<TransportInfo> ucx =
                transports.stream().filter(info -> info.name().equals(UCX)).findFirst();
        if (ucx.filter(TransportInfo::available).isEmpty()) {
            System.err.println("fairlead: " + PerfResult.OVER_UCX + " is left out: ucx cannot be used: "
                    + ucx.map(TransportInfo::cause).orElse("there is no such transport"));
            return new PerfComparison(perftest, lanes, Optional.empty());
        }
        return new PerfComparison(
                perftest,
                lanes,
                Optional.of(OverUcx.connect(config.with(ConfigKeys.POLICY, PathPolicy.named(UCX)), arguments)));
    }

    private static String lanes(FairleadConfig config) {
        return config.keys().stream()
                .filter(key -> key.name().equals(LANES_KEY))
                .map(key -> format(config, key))
                .findFirst()
                .orElseThrow();
    }

    private static <T> String format(FairleadConfig config, ConfigKey<T> key) {
        return key.format(config.value(key));
    }

    /** UCX's C program. */
    Perftest perftest() {
        return perftest;
    }

    /** The UCX transports of all contestants over UCX. */
    String lanes() {
        return lanes;
    }

    /** Fairlead over these; empty where UCX cannot be used. */
    Optional<PerfConnection> overUcx() {
        return overUcx.map(OverUcx::connection);
    }

    @Override
    public void close() {
        overUcx.ifPresent(OverUcx::close);
    }
}
