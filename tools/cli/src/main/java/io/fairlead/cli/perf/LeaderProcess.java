package io.fairlead.cli.perf;

import io.fairlead.cli.command.CommandFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Leads in another process, which does what it is told in lines of text: see {@link PerfLeaderCommand}. So a contestant has both its JVMs to itself,
 * and neither carries what the compiler has learnt of another.
 */
final class LeaderProcess implements Leader, AutoCloseable {
    private final String subject;
    private final PerfChild child;
    private final String path;

    /**
     * Waits until the process is ready.
     *
     * @param subject the contestant's name
     * @param child closed with this, or when this fails
     */
    LeaderProcess(String subject, PerfChild child) {
        this.subject = subject;
        this.child = child;
        try {
            path = hear(PerfLeaderCommand.READY, Function.identity());
        } catch (RuntimeException failed) {
            child.close();
            throw failed;
        }
    }

    /** Starts one beside the server that it connects to, which is to outlive it. */
    static LeaderProcess start(String subject, ServerProcess server, List<String> arguments) {
        List<String> all = new ArrayList<>(List.of(PerfLeaderCommand.NAME, "--connect=" + server.address()));
        all.addAll(arguments);
        PerfChild child = PerfChild.start("the leading process of " + subject, all);
        child.endAfter(server.child());
        return new LeaderProcess(subject, child);
    }

    /** The path of its connection to the server. */
    String path() {
        return path;
    }

    @Override
    public String subject() {
        return subject;
    }

    @Override
    public boolean open(PerfCase perfCase) {
        child.say("open " + perfCase.test().label() + " " + perfCase.size() + " " + perfCase.window());
        return hear("open", LeaderProcess::truth);
    }

    private static boolean truth(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        };
    }

    @Override
    public void time(int batch) {
        child.say("time " + batch);
        hear("time", Function.identity());
    }

    @Override
    public Round round(long count) {
        child.say("round " + count);
        return hear("round", Round::parse);
    }

    @Override
    public Percentiles percentiles() {
        child.say("percentiles");
        return hear("percentiles", Percentiles::parse);
    }

    @Override
    public void end() {
        child.say("end");
        hear("end", Function.identity());
    }

    /** Waits for an answer, and reads what follows its first word. */
    private <T> T hear(String expected, Function<String, T> parse) {
        String line = child.hear();
        while (!line.startsWith(PerfLeaderCommand.MARK)) {
            System.err.println(line);
            line = child.hear();
        }
        String answer = line.substring(PerfLeaderCommand.MARK.length());
        String[] parts = answer.split(" ", 2);
        String rest = parts.length > 1 ? parts[1] : "";
        if (parts[0].equals(PerfLeaderCommand.ERROR)) {
            throw CommandFailure.failed(child.name() + " failed: " + rest);
        }
        if (!parts[0].equals(expected)) {
            throw noAnswer(answer, expected);
        }
        try {
            return parse.apply(rest);
        } catch (IllegalArgumentException unreadable) {
            throw noAnswer(answer, expected);
        }
    }

    private CommandFailure noAnswer(String said, String expected) {
        return CommandFailure.failed(child.name() + " gave no answer that is known: expected=" + expected + ", answer="
                + said + "; is its class path another release's?");
    }

    /** Asks it to end by the end of its input. */
    @Override
    public void close() {
        child.close();
    }
}
