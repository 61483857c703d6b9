package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.process.DirectedProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Processes of a point or of a table, which end with it. */
final class Processes implements AutoCloseable {
    private static final List<String> JVM_OPTIONS =
            List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=2g");

    private final List<DirectedProcess> started = new ArrayList<>();

    /** Starts a role with as much of the JVM as it has. */
    DirectedProcess start(String role, List<String> arguments) throws IOException {
        return start(JVM_OPTIONS, role, arguments);
    }

    /** Starts a role. */
    DirectedProcess start(List<String> jvmOptions, String role, List<String> arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(role));
        words.addAll(arguments);
        DirectedProcess process =
                DirectedProcess.start(role + " " + arguments.getFirst(), jvmOptions, RoleMain.class, words);
        started.add(process);
        return process;
    }

    /** The introduction of a role that starts. */
    static String introduction(DirectedProcess process) throws IOException {
        return process.hear(RoleMain.READY);
    }

    /** Has a turn done and returns what it has come to. */
    static long[] turn(DirectedProcess process, String words) throws IOException {
        process.say(words);
        return done(process);
    }

    /** What a turn has come to. */
    static long[] done(DirectedProcess process) throws IOException {
        return List.of(process.hear(RoleMain.DONE).split(" ", -1)).stream()
                .filter(word -> !word.isEmpty())
                .mapToLong(Long::parseLong)
                .toArray();
    }

    @Override
    public void close() {
        // Those that asked first: the others are still there for them.
        for (DirectedProcess process : started.reversed()) {
            process.askToEnd();
        }
        started.reversed().forEach(DirectedProcess::close);
    }
}
