package io.fairlead.cli.measure;

import io.fairlead.cli.process.JavaCommand;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The process of a {@link Side}, as the process that started it directs it. Belongs to one thread. */
public final class SideProcess implements AutoCloseable {
    /** How long a side may take to answer, where it is not said otherwise. */
    public static final long LIMIT_S = 60;

    private static final long END_LIMIT_S = 5;
    /** How long a side has to notice that its peer is gone. */
    private static final long FOLLOW_LIMIT_S = 2;

    private static final String GONE = "gone";

    private final String name;
    private final Process process;
    private final BufferedWriter input;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final long limitS;

    private SideProcess(String name, Process process, long limitS) {
        this.name = name;
        this.process = process;
        this.limitS = limitS;
        input = process.outputWriter();
        Thread.ofPlatform().daemon().name("output-of-" + name).start(this::read);
    }

    /**
     * Starts one.
     *
     * @param name what failures call it
     * @param jvmOptions beside those of every measured process
     * @param address that of the other side; empty to listen
     */
    public static SideProcess start(
            String name, List<String> jvmOptions, Class<?> side, Optional<String> address, List<String> arguments)
            throws IOException {
        return start(name, LIMIT_S, jvmOptions, side, address, arguments);
    }

    static SideProcess start(
            String name,
            long limitS,
            List<String> jvmOptions,
            Class<?> side,
            Optional<String> address,
            List<String> arguments)
            throws IOException {
        List<String> words = new ArrayList<>(List.of(side.getName(), address.orElse(SideMain.LISTEN)));
        words.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(JavaCommand.measured(jvmOptions, SideMain.class, words))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        // UCX would take over signals that the JVM needs.
        builder.environment().put("UCX_ERROR_SIGNALS", "");
        return new SideProcess(name, builder.start(), limitS);
    }

    private void read() {
        try (BufferedReader output = process.inputReader()) {
            output.lines().filter(line -> line.startsWith(SideMain.MARK)).forEach(said::add);
        } catch (IOException | UncheckedIOException ended) {
            // Reported below, as of any process that is gone.
        }
        said.add(SideMain.MARK + GONE + " ");
    }

    /** What the other side connects to. */
    public String address() throws IOException {
        return hear(SideMain.AT);
    }

    /** Waits until both sides are connected; the nanoseconds that this took. */
    public long awaitReady() throws IOException {
        return Long.parseLong(hear(SideMain.READY));
    }

    /** The address of a side that waits for nobody. */
    public String open() throws IOException {
        String address = address();
        awaitReady();
        return address;
    }

    /** Has a turn done that needs no other side, and returns its figures. */
    public double[] turn(String line) throws IOException {
        say(line);
        return done();
    }

    /** Waits until it has begun a turn. */
    public void awaitBegan() throws IOException {
        hear(SideMain.BEGAN);
    }

    /** The figures of a turn. */
    public double[] done() throws IOException {
        return done(this);
    }

    /** The same while another process has to be there too. */
    double[] done(SideProcess other) throws IOException {
        return Stream.of(hear(SideMain.DONE, other).split(" ", -1))
                .filter(word -> !word.isEmpty())
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    /** Lets the compilers finish. */
    public void rest() throws IOException {
        turn(SideMain.REST);
    }

    /** The processor time that the process has taken. */
    public double processorNs() throws IOException {
        return turn(SideMain.PROCESSOR)[0];
    }

    /** Writes a line to it. */
    public void say(String line) throws IOException {
        try {
            input.write(line + "\n");
            input.flush();
        } catch (IOException gone) {
            // Its output ends with it, after the cause.
        }
    }

    /** The rest of its next line, which is to begin with this word. */
    String hear(String what) throws IOException {
        return hear(what, this);
    }

    /** The same while another process has to be there too. */
    String hear(String what, SideProcess other) throws IOException {
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitS);
        String line = poll(1);
        while (line == null) {
            if (!other.process.isAlive() && other != this) {
                line = poll(FOLLOW_LIMIT_S);
                if (line == null) {
                    throw other.failure(other.poll(1));
                }
            } else if (System.nanoTime() - untilNs > 0) {
                throw failure(null);
            } else {
                line = poll(1);
            }
        }
        String start = SideMain.MARK + what + " ";
        if (!line.startsWith(start)) {
            throw failure(line);
        }
        return line.substring(start.length());
    }

    private @Nullable String poll(long seconds) throws IOException {
        try {
            return said.poll(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    private IOException failure(@Nullable String line) {
        String failed = SideMain.MARK + SideMain.FAILED + " ";
        if (line != null && line.startsWith(failed)) {
            return new IOException(name + ": " + line.substring(failed.length()));
        }
        if (line == null && process.isAlive()) {
            return new IOException(name + ": no answer within " + limitS + " s");
        }
        return new IOException(name + " has ended: "
                + (awaitEnd() ? "status=" + process.exitValue() : "another answer than was expected: " + line));
    }

    private boolean awaitEnd() {
        try {
            return process.waitFor(END_LIMIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends its input, without waiting for its end. */
    public void askToEnd() {
        try {
            input.close();
        } catch (IOException gone) {
            // It has ended.
        }
    }

    /** Ends it, by force if need be. */
    @Override
    public void close() {
        askToEnd();
        if (!awaitEnd()) {
            process.destroyForcibly();
        }
    }
}
