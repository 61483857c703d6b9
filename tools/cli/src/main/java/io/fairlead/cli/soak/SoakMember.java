package io.fairlead.cli.soak;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.process.JavaCommand;
import io.fairlead.cli.soak.Round.Incident;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The other process of a soak, as its parent sees it: it can be ordered about, stopped and killed. For one thread. */
final class SoakMember implements AutoCloseable {
    /** How long an answer may take, in seconds. After that something hangs. */
    static final long LIMIT_S = 60;

    /** The exit status of a process that signal 9 has ended. */
    static final int KILLED = 128 + 9;

    private static final int STALL_MAX_MS = 1500;
    private static final String GONE = "";
    private static final int WORDS_MAX = 20;

    private final Process process;
    private final BufferedWriter orders;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final Deque<String> words = new ArrayDeque<>();

    private SoakMember(Process process) {
        this.process = process;
        this.orders = process.outputWriter(StandardCharsets.UTF_8);
        read(process.inputReader(StandardCharsets.UTF_8), answers::add, () -> answers.add(GONE));
        read(process.errorReader(StandardCharsets.UTF_8), this::remember, () -> {});
    }

    static SoakMember start(List<String> configuration) {
        List<String> arguments = new ArrayList<>(List.of("soak-member"));
        arguments.addAll(configuration);
        try {
            return new SoakMember(new ProcessBuilder(JavaCommand.fairlead(arguments)).start());
        } catch (IOException refused) {
            throw CommandFailure.failed("cannot start a process: name=soak-member; " + refused.getMessage());
        }
    }

    private static void read(BufferedReader reader, Consumer<String> line, Runnable end) {
        Thread.ofPlatform().daemon().name("soak-member-reader").start(() -> {
            try (reader) {
                reader.lines().forEach(line);
            } catch (IOException | UncheckedIOException ended) {
                line.accept("its output cannot be read: " + ended.getMessage());
            } finally {
                end.run();
            }
        });
    }

    private synchronized void remember(String line) {
        if (words.size() == WORDS_MAX) {
            words.removeFirst();
        }
        words.add(line);
    }

    /** Its last words on standard error. */
    synchronized List<String> words() {
        return List.copyOf(words);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Begins its half of a round; returns what the scenario's half told. */
    String begin(Round round) throws IOException, InterruptedException {
        return ask(MemberLine.BEGIN + round.runSeed() + " " + round.number(), MemberLine.READY);
    }

    /** Tells its half of the round something. */
    void order(String word) throws IOException {
        orders.write(word + "\n");
        orders.flush();
    }

    /** Gives an order, and waits for the answer that begins with a word; returns the rest of that line. */
    String ask(String order, String answer) throws IOException, InterruptedException {
        order(order);
        for (String line = next(); !line.equals(GONE); line = next()) {
            if (line.startsWith(answer)) {
                return line.substring(answer.length());
            }
        }
        throw new IOException("the member has ended: last words=" + words());
    }

    private String next() throws IOException, InterruptedException {
        String line = answers.poll(LIMIT_S, TimeUnit.SECONDS);
        if (line == null) {
            throw new IOException("the member does not answer for " + LIMIT_S + " s: last words=" + words());
        }
        return line;
    }

    /** Lets the round's incident happen, at this side or in the other process. */
    void happen(Round round, Runnable close, Runnable abort) throws IOException, InterruptedException {
        if (round.incident() == Incident.CLOSE) {
            close.run();
        } else if (round.incident() == Incident.ABORT) {
            abort.run();
        }
        suffer(round);
    }

    /** Lets the round's incident happen, if it is one of the other process. */
    void suffer(Round round) throws IOException, InterruptedException {
        switch (round.incident()) {
            case STALL -> stall(round.random("stall").nextInt(STALL_MAX_MS));
            case WITHDRAW -> order(MemberLine.WITHDRAW);
            case KILL -> {
                if (process.isAlive()) {
                    process.destroyForcibly().waitFor();
                }
            }
            case NONE, CLOSE, ABORT -> {}
        }
    }

    /** Stops it, and lets it go on later; returns when it stands still. */
    private void stall(long milliseconds) throws IOException, InterruptedException {
        signal("STOP");
        Thread.ofPlatform().daemon().name("soak-continue").start(() -> {
            try {
                Thread.sleep(milliseconds);
                signal("CONT");
            } catch (IOException | InterruptedException failed) {
                process.destroyForcibly();
            }
        });
    }

    private void signal(String name) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        if (status != 0 && process.isAlive()) {
            throw new IOException("kill -" + name + " of the member fails with status " + status);
        }
    }

    /** The exit status, once it has ended. */
    int exitStatus() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
