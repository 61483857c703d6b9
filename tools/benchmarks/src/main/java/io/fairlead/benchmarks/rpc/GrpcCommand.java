package io.fairlead.benchmarks.rpc;

import io.fairlead.FairleadConfig;
import io.fairlead.benchmarks.command.BenchOptions;
import io.fairlead.benchmarks.rpc.GrpcUnary.Plan;
import io.fairlead.benchmarks.rpc.GrpcUnary.Results;
import io.fairlead.config.ConfigKeys;
import io.grpc.ManagedChannel;
import io.netty.util.Version;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Measures gRPC over Fairlead's channels beside gRPC over its own. */
@Command(
        name = "grpc",
        description =
                "Unary calls of gRPC of 64 B between two processes, 1 and 64 in flight: over Fairlead's channels for"
                        + " Netty, by shared memory and by TCP, beside gRPC's default TCP and Unix domain sockets.")
public final class GrpcCommand implements Callable<Integer> {
    @Mixin
    private final BenchOptions options = new BenchOptions();

    /** Creates it, for picocli. */
    public GrpcCommand() {}

    @Override
    public Integer call() {
        options.check();
        Plan plan = options.quick() ? new Plan(4, 3, 5_000, 30_000) : new Plan(12, 7, 20_000, 200_000);
        List<GrpcContestant> contestants = GrpcContestant.available();
        Results results = new GrpcUnary(plan, contestants, System.err::println).run();
        settings(plan, results).forEach(System.out::println);
        GrpcReport report = GrpcReport.of(results);
        report.lines().forEach(System.out::println);
        return options.finish(report.report());
    }

    private static String nettyVersion() {
        return Optional.ofNullable(Version.identify().get("netty-transport"))
                .map(Version::artifactVersion)
                .orElse("of no known version");
    }

    private static List<String> settings(Plan plan, Results results) {
        return List.of(
                "gRPC " + ManagedChannel.class.getPackage().getImplementationVersion() + ", Netty "
                        + nettyVersion() + ", JDK " + Runtime.version()
                        + ", " + Runtime.getRuntime().availableProcessors() + " processors",
                "one connection each, in plain text; one event loop on either side, on which calls are made and answered"
                        + " (directExecutor); Fairlead's idle.strategy="
                        + FairleadConfig.defaults().value(ConfigKeys.IDLE_STRATEGY) + ", the others' as they come",
                GrpcContestant.DEFAULT.label() + " is TCP by " + results.defaultCarrier() + ", which gRPC has picked; "
                        + GrpcContestant.UDS.label() + " is by epoll",
                "turns of " + plan.singles() + " calls with 1 in flight and of " + plan.windowed() + " with "
                        + RpcComparison.SLOTS + "; rounds: " + results.warmUpRounds() + " to warm up, " + plan.rounds()
                        + " counted");
    }
}
