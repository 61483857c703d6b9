package io.fairlead.cli.cache;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.Seconds;
import io.fairlead.cli.process.ChildEvent;
import io.fairlead.cli.process.ChildProcess;
import io.fairlead.cli.process.StopSignal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A cache server and three clients that read and write at once, each a process. */
@Command(
        name = "demo",
        description = "Run a server and three clients, each a process, which check every value that they read.")
final class CacheDemo implements Callable<Integer> {
    private static final int CLIENTS = 3;
    private static final String SERVER = "server";
    private static final Pattern LISTENING = Pattern.compile("cache at (\\S+) .*");
    private static final long OVERTIME_NS = TimeUnit.SECONDS.toNanos(40);

    @Option(
            names = "--seconds",
            converter = Seconds.class,
            paramLabel = "N",
            defaultValue = "5",
            description = "How long (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    private final BlockingQueue<ChildEvent> events = new LinkedBlockingQueue<>();
    private final Map<String, ChildProcess> running = new LinkedHashMap<>();
    private boolean failed;

    @Override
    public Integer call() throws InterruptedException {
        config.load();
        long deadline = System.nanoTime() + OVERTIME_NS + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        try (StopSignal stop = StopSignal.install()) {
            start(SERVER, "serve", "--listen=127.0.0.1:0");
            while (!running.isEmpty() && !stop.requested() && System.nanoTime() - deadline < 0) {
                ChildEvent event = events.poll(100, TimeUnit.MILLISECONDS);
                if (event != null) {
                    handle(event);
                }
            }
            if (!running.isEmpty()) {
                throw CommandFailure.failed("cache demo did not come to its end: running=" + running.keySet());
            }
        } finally {
            running.values().forEach(ChildProcess::askToEnd);
            running.values().forEach(ChildProcess::close);
        }
        return failed ? CommandFailure.FAILED : 0;
    }

    private void start(String name, String... command) {
        List<String> arguments = new ArrayList<>(List.of("cache"));
        arguments.addAll(List.of(command));
        arguments.addAll(config.toArguments(running.size()));
        running.put(name, ChildProcess.start(name, arguments, events));
    }

    private void handle(ChildEvent event) {
        String name = event.child().name();
        switch (event) {
            case ChildEvent.Said said -> hear(name, said.line());
            case ChildEvent.Complained complaint -> System.err.println(complaint.attributed());
            case ChildEvent.Ended end -> {
                running.remove(name);
                if (end.status() != 0) {
                    failed = true;
                    System.err.println("fairlead: " + name + " " + end.description());
                }
                if (running.size() == 1 && running.containsKey(SERVER)) {
                    running.get(SERVER).askToEnd();
                }
            }
        }
    }

    private void hear(String name, String line) {
        Matcher listening = LISTENING.matcher(line);
        if (listening.matches()) {
            for (int i = 0; i < CLIENTS; i++) {
                start(
                        "client-" + i,
                        "bench",
                        "--connect=" + listening.group(1),
                        "--seconds=" + seconds,
                        "--id=" + i,
                        "--of=" + CLIENTS);
            }
            return;
        }
        if (line.startsWith(CacheBench.READING)) {
            System.out.println(name + ": " + line);
            return;
        }
        CacheBench.Result result = CacheBench.JSON.readValue(line, CacheBench.Result.class);
        System.out.println(String.format(
                Locale.ROOT,
                "%s  %,d gets/s  p50 %.1f us  p99 %.1f us  %,d gets and %,d puts, all verified; %d torn reads repeated",
                name,
                Math.round(result.getsPerSecond()),
                result.p50Us(),
                result.p99Us(),
                result.gets(),
                result.puts(),
                result.tornReads()));
    }
}
