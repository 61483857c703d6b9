package io.fairlead.cli.cache;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.Range;
import io.fairlead.cli.command.Seconds;
import io.fairlead.cli.process.StopSignal;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes the cache for a while, and checks every value that it reads. */
@Command(
        name = "bench",
        description = "Read keys at random, write one after every so many reads, and check every value that is read.")
final class CacheBench implements Callable<Integer> {
    static final JsonMapper JSON = JsonMapper.builder().build();

    /** Begins the line with the path, which is printed before the work begins. */
    static final String READING = "reading over ";

    private static final int KEYS_MAX = 1_000_000;
    private static final double MICROSECOND_NS = 1000;

    @Option(
            names = "--seconds",
            converter = Seconds.class,
            paramLabel = "N",
            defaultValue = "5",
            description = "How long (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(
            names = "--reads-per-write",
            paramLabel = "N",
            defaultValue = "20",
            description = "How many reads go with a write; 0 writes nothing (default: ${DEFAULT-VALUE}).")
    private int readsPerWrite;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "3000",
            description = "How many keys there are (default: ${DEFAULT-VALUE}).")
    private int keys;

    @Option(names = "--fill", description = "Give every key a value before the reading begins.")
    private boolean fill;

    @Option(
            names = "--id",
            paramLabel = "I",
            defaultValue = "0",
            description = "Which of several that run at once; each writes keys of its own (default: ${DEFAULT-VALUE}).")
    private int id;

    @Option(
            names = "--of",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many run at once (default: ${DEFAULT-VALUE}).")
    private int clients;

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    /** What it prints. The latencies are of gets, including gets that found no value yet. */
    record Result(
            long gets, long values, long puts, long tornReads, double getsPerSecond, double p50Us, double p99Us) {}

    @Override
    public Integer call() {
        Range.atLeast("--reads-per-write", readsPerWrite, 0);
        Range.between("--of", clients, 1, KEYS_MAX);
        Range.between("--id", id, 0, clients - 1);
        Range.between("--keys", keys, clients, KEYS_MAX);
        try (StopSignal stop = StopSignal.install();
                CacheConnection client = connect.open()) {
            long[] versions = new long[keys];
            for (int own = id; fill && own < keys / clients * clients; own += clients) {
                client.put(BenchValue.key(own), BenchValue.of(own, ++versions[own]));
            }
            System.out.println(READING + client.path());
            System.out.println(JSON.writeValueAsString(run(client, stop, versions)));
            return 0;
        }
    }

    private Result run(CacheConnection client, StopSignal stop, long[] versions) {
        Histogram latencies = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
        SplittableRandom random = new SplittableRandom();
        long puts = 0;
        long values = 0;
        long start = System.nanoTime();
        long end = start + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        while (!stop.requested() && System.nanoTime() - end < 0) {
            if (readsPerWrite > 0 && latencies.getTotalCount() % readsPerWrite == 0) {
                int own = random.nextInt(keys / clients) * clients + id;
                client.put(BenchValue.key(own), BenchValue.of(own, ++versions[own]));
                puts++;
            }
            int number = random.nextInt(keys / clients * clients);
            long before = System.nanoTime();
            Optional<byte[]> value = client.get(BenchValue.key(number));
            latencies.recordValue(System.nanoTime() - before);
            versions[number] = check(number, value, versions[number]);
            values += value.isPresent() ? 1 : 0;
        }
        double elapsed = (double) (System.nanoTime() - start) / TimeUnit.SECONDS.toNanos(1);
        return new Result(
                latencies.getTotalCount(),
                values,
                puts,
                client.tornReads(),
                latencies.getTotalCount() / elapsed,
                latencies.getValueAtPercentile(50) / MICROSECOND_NS,
                latencies.getValueAtPercentile(99) / MICROSECOND_NS);
    }

    /** A value must be whole, belong to its key, and never be older than one that was read before. */
    private static long check(int number, Optional<byte[]> value, long versionBefore) {
        long version = value.map(bytes -> BenchValue.version(number, bytes)).orElse(0L);
        if (version < versionBefore) {
            throw CommandFailure.failed("wrong value: key=" + number + ", version=" + version + ", read before="
                    + versionBefore + "; -1 is a value that nobody wrote");
        }
        return version;
    }
}
