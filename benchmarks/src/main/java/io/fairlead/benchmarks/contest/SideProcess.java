package io.fairlead.benchmarks.contest;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One side's process, and what it says. */
final class SideProcess implements AutoCloseable {
    private static final long LIMIT_S = 60;
    private static final long END_LIMIT_S = 5;
    private static final String GONE = "gone";

    private final String name;
    private final Process process;
    private final BufferedWriter input;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    private SideProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        input = process.outputWriter();
        Thread.ofPlatform().daemon().name("output-of-" + name).start(this::read);
    }

    static SideProcess start(Contestant contestant, Idle idle, boolean leads, List<String> address) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-Xmx1g");
        command.addAll(contestant.jvmOptions());
        command.addAll(List.of("--class-path", System.getProperty("java.class.path"), SideMain.class.getName()));
        command.addAll(List.of(contestant.name(), idle.name(), String.valueOf(leads)));
        command.addAll(address);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        // UCX would take over signals that the JVM needs.
        builder.environment().put("UCX_ERROR_SIGNALS", "");
        return new SideProcess(contestant.title(), builder.start());
    }

    private void read() {
        try (BufferedReader output = process.inputReader()) {
            output.lines().filter(line -> line.startsWith(SideMain.SAYS)).forEach(said::add);
        } catch (IOException | RuntimeException ended) {
            // Said below, as of any process that is gone.
        }
        said.add(SideMain.SAYS + GONE + " ");
    }

    void say(String line) throws IOException {
        input.write(line + "\n");
        input.flush();
    }

    /** What it says next, which is to be this. */
    String hear(String what) throws IOException {
        try {
            String line = said.poll(LIMIT_S, TimeUnit.SECONDS);
            String start = SideMain.SAYS + what + " ";
            if (line == null || !line.startsWith(start)) {
                throw new IOException(
                        name + ": " + (line == null ? "no answer within " + LIMIT_S + " s" : "its process is gone"));
            }
            return line.substring(start.length());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    /** Ends it, if need be by force. */
    @Override
    public void close() {
        try {
            input.close();
        } catch (IOException gone) {
            // It has ended.
        }
        try {
            if (!process.waitFor(END_LIMIT_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
