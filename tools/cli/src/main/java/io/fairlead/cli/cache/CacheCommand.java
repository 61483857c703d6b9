package io.fairlead.cli.cache;

import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.samples.cache.CacheServer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The commands of the cache. */
@Command(
        name = "cache",
        description = "A key-value store that clients read with one-sided gets.",
        subcommands = {CacheBench.class, CacheDemo.class})
public final class CacheCommand implements Runnable {
    private static final long BUCKETS_MAX = 1 << 24;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: serve, put, get, bench or demo");
    }

    @Command(name = "serve", description = "Own the memory, until stopped.")
    int serve(
            @Option(
                            names = {"-l", "--listen"},
                            paramLabel = "HOST:PORT",
                            defaultValue = Address.DEFAULT,
                            description = "Where to listen (default: ${DEFAULT-VALUE}; port 0 takes a free one).")
                    Address listen,
            @Option(
                            names = "--buckets",
                            paramLabel = "N",
                            defaultValue = "4096",
                            description =
                                    "Size of the table, in buckets of 8 entries and 2 KiB (default: ${DEFAULT-VALUE}).")
                    long buckets,
            @Mixin ConfigOptions config)
            throws InterruptedException {
        if (buckets < 1 || buckets > BUCKETS_MAX) {
            throw CommandFailure.usage(
                    "option out of range: --buckets=" + buckets + ", 1 to " + BUCKETS_MAX + "; change it");
        }
        try (StopSignal stop = StopSignal.install();
                CacheServer server = new CacheServer(config.load(), listen.resolve(), buckets);
                MetricsPort _ = MetricsPort.open(server.node().context())) {
            System.out.println("cache at " + Address.of(server.address()) + " with " + buckets + " buckets");
            stop.await();
        }
        return 0;
    }

    @Command(name = "put", description = "Store a value.")
    int put(
            @Parameters(paramLabel = "KEY") String key,
            @Parameters(paramLabel = "VALUE") String value,
            @Mixin ConnectOptions connect) {
        try (CacheConnection client = connect.open()) {
            client.put(bytes(key), bytes(value));
        }
        return 0;
    }

    @Command(name = "get", description = "Print a value, read by one-sided get.")
    int get(@Parameters(paramLabel = "KEY") String key, @Mixin ConnectOptions connect) {
        try (CacheConnection client = connect.open()) {
            Optional<byte[]> value = client.get(bytes(key));
            System.out.println(new String(
                    value.orElseThrow(() -> CommandFailure.failed(
                            "no such key: " + key + "; store it first (fairlead cache put " + key + " VALUE)")),
                    StandardCharsets.UTF_8));
        }
        return 0;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
