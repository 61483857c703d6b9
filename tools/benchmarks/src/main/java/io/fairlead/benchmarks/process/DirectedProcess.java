package io.fairlead.benchmarks.process;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process that does what it is told line by line, and what it says of it. It is to end with its input. */
public final class DirectedProcess implements AutoCloseable {
    /** Before each line that is meant for the process which has started this one. */
    private static final String SAYS = "#";

    private static final String GONE = "gone";
    private static final String FAILED = "failed";
    private static final long LIMIT_S = 60;
    private static final long END_LIMIT_S = 5;

    private final String name;
    private final Process process;
    private final BufferedWriter input;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    private DirectedProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        input = process.outputWriter();
        Thread.ofPlatform().daemon().name("output-of-" + name).start(this::read);
    }

    /** Starts one, under a name for errors. */
    public static DirectedProcess start(
            String name, List<String> jvmOptions, Class<?> mainClass, List<String> arguments) throws IOException {
        return new DirectedProcess(name, SecondProcess.start(jvmOptions, mainClass, arguments));
    }

    /** In the started process: says something to the one that has started it. */
    public static void tell(String what, String rest) {
        System.out.println(SAYS + what + " " + rest);
        System.out.flush();
    }

    /** In the started process: says why it cannot go on, in one line. */
    public static void tellFailure(Throwable failure) {
        String text = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        tell(FAILED, text.replace('\n', ' '));
    }

    private void read() {
        try (BufferedReader output = process.inputReader()) {
            output.lines().filter(line -> line.startsWith(SAYS)).forEach(said::add);
        } catch (IOException | RuntimeException ended) {
            // Said below, as of any process that is gone.
        }
        said.add(SAYS + GONE + " ");
    }

    /** Tells it what to do. */
    public void say(String line) throws IOException {
        input.write(line + "\n");
        input.flush();
    }

    /** What it says next, which is to be this. */
    public String hear(String what) throws IOException {
        try {
            String line = said.poll(LIMIT_S, TimeUnit.SECONDS);
            String start = SAYS + what + " ";
            if (line == null || !line.startsWith(start)) {
                throw new IOException(name + ": " + whyNot(line));
            }
            return line.substring(start.length());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    private static String whyNot(@Nullable String line) {
        if (line == null) {
            return "no answer within " + LIMIT_S + " s";
        }
        String failed = SAYS + FAILED + " ";
        return line.startsWith(failed) ? line.substring(failed.length()) : "its process is gone";
    }

    /** Ends its input, without waiting for its end. */
    public void askToEnd() {
        try {
            input.close();
        } catch (IOException gone) {
            // It has ended.
        }
    }

    /** Ends it, if need be by force. */
    @Override
    public void close() {
        askToEnd();
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
