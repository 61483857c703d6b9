package io.fairlead.benchmarks.contest;

import io.fairlead.benchmarks.process.SecondProcess;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
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
        List<String> jvmOptions = new ArrayList<>(contestant.jvmOptions());
        jvmOptions.add("-Xmx1g");
        List<String> arguments = new ArrayList<>(List.of(contestant.name(), idle.name(), String.valueOf(leads)));
        arguments.addAll(address);
        return new SideProcess(contestant.title(), SecondProcess.start(jvmOptions, SideMain.class, arguments));
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
