package io.fairlead.benchmarks.rpc;

import io.fairlead.benchmarks.command.BenchOptions;
import io.fairlead.benchmarks.command.Load;
import io.fairlead.cli.measure.Report;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Measures requests and replies of nodes beside Netty's and gRPC's. */
@Command(
        name = "rpc",
        description =
                "Requests of 64 B and their replies between two processes, 1 and 64 in flight: a node over the best path"
                        + " of this host and over TCP, beside a plain Netty client and server, and gRPC.")
public final class RpcCommand implements Callable<Integer> {
    @Mixin
    private final BenchOptions options = new BenchOptions();

    /** Creates it, for picocli. */
    public RpcCommand() {}

    @Override
    public Integer call() {
        options.check();
        Load.check();
        Report report = new Report();
        new RpcReport(System.out, report).measure(options.quick(), System.err::println);
        Load.check();
        return options.finish(report);
    }
}
