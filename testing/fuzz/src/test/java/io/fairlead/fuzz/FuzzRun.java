package io.fairlead.fuzz;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One run of Jazzer, in a process of its own: it instruments classes as they are loaded, and ends its process at a finding.
 *
 * @param status how the process ended, 0 without a finding
 * @param executions how many inputs were run
 * @param seconds how long that took
 * @param edges of the code that were reached
 * @param features edges and how often, and what was compared
 * @param log where all that it said is
 */
public record FuzzRun(int status, long executions, long seconds, long edges, long features, Path log) {
    private static final long COMPILED_ONCE_S = 10;
    private static final Pattern DONE = Pattern.compile("Done (\\d+) runs in (\\d+) second\\(s\\)");
    private static final Pattern REACHED = Pattern.compile("#(\\d+)\\s.*cov: (\\d+) ft: (\\d+) .*");

    /**
     * Runs until the time is over, or the number of inputs, or something is found.
     *
     * @param label the surface
     * @param lengthMax the longest input, in bytes
     * @param seconds how long; 0: as long as the number of inputs takes
     * @param runs how many inputs at most; -1: as many as there is time for
     * @param folder for what was learnt and found, and the log; kept from run to run
     */
    static FuzzRun start(String label, int lengthMax, long seconds, long runs, Path folder)
            throws IOException, InterruptedException {
        Files.createDirectories(folder.resolve(label).resolve("corpus"));
        Path log = folder.resolve(label).resolve("log");
        List<String> command = command(label, lengthMax, seconds, runs, folder.resolve(label));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        // Whoever stops the tests stops this too.
        Thread last = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(last);
        int status = process.waitFor();
        Runtime.getRuntime().removeShutdownHook(last);
        return read(status, log);
    }

    private static List<String> command(String label, int lengthMax, long seconds, long runs, Path folder) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+EnableDynamicAgentLoading",
                "-Djdk.attach.allowAttachSelf=true",
                "--sun-misc-unsafe-memory-access=allow",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-XX:MaxDirectMemorySize=256m",
                "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", ""),
                "-Djava.io.tmpdir=" + folder,
                "-D" + FuzzTarget.CORPUS + "=" + folder.resolve("corpus"),
                "-cp",
                System.getProperty("java.class.path"),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + FuzzTarget.class.getName(),
                "--target_args=" + label,
                "--instrumentation_includes=io.fairlead.**",
                // A harness is no way that an input takes, and a transformed one costs time. So does the search for
                // the name that a mistyped one may be meant for.
                "--instrumentation_excludes=io.fairlead.fuzz.Fuzz*:io.fairlead.fuzz.Expect:io.fairlead.fuzz.Input:"
                        + "io.fairlead.internal.names.NearestName",
                "--reproducer_path=" + folder,
                "-artifact_prefix=" + folder + "/",
                "-max_len=" + lengthMax,
                "-timeout=60",
                "-print_final_stats=1"));
        if (seconds > 0) {
            command.add("-max_total_time=" + seconds);
        }
        if (seconds > 0 && seconds <= COMPILED_ONCE_S) {
            // So short a run is over before the better compiler has made up for its work.
            command.add(1, "-XX:TieredStopAtLevel=1");
        }
        if (runs >= 0) {
            command.add("-runs=" + runs);
        }
        command.add(folder.resolve("corpus").toString());
        return command;
    }

    private static FuzzRun read(int status, Path log) throws IOException {
        long executions = 0;
        long seconds = 0;
        long edges = 0;
        long features = 0;
        try (BufferedReader lines = Files.newBufferedReader(log, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher reached = REACHED.matcher(line);
                Matcher done = DONE.matcher(line);
                if (reached.matches()) {
                    executions = Long.parseLong(reached.group(1));
                    edges = Long.parseLong(reached.group(2));
                    features = Long.parseLong(reached.group(3));
                } else if (done.find()) {
                    executions = Long.parseLong(done.group(1));
                    seconds = Long.parseLong(done.group(2));
                }
            }
        }
        return new FuzzRun(status, executions, seconds, edges, features, log);
    }

    /** The end of what it said, for whoever reads a failure. */
    String lastWords() throws IOException {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
            List<String> all = lines.toList();
            return String.join("\n", all.subList(Math.max(0, all.size() - 60), all.size()));
        }
    }
}
