package io.fairlead.transport.ucx;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Many begin at once in a folder without a secret, again and again; says whether all of them sign alike each time. */
final class HostSecretProgram {
    private static final int ROUNDS = 50;
    private static final int AT_ONCE = 8;

    private HostSecretProgram() {}

    /** The folder. */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        Path folder = Path.of(arguments[0]);
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            for (int round = 0; round < ROUNDS; round++) {
                empty(folder);
                Set<String> answers = answers(threads, folder);
                if (answers.size() != 1) {
                    out.println("round " + round + ": " + answers);
                    return;
                }
            }
        }
        out.println("all agreed");
    }

    /** What each of many says that begin at once. */
    private static Set<String> answers(ExecutorService threads, Path folder) throws Exception {
        CyclicBarrier start = new CyclicBarrier(AT_ONCE);
        Callable<String> begin = () -> {
            start.await();
            HostSecret secret = HostSecret.open(folder);
            return secret.problem() + HexFormat.of().formatHex(secret.sign(new byte[1], 1));
        };
        Set<String> answers = new TreeSet<>();
        for (Future<String> answer : threads.invokeAll(Collections.nCopies(AT_ONCE, begin))) {
            answers.add(answer.get());
        }
        return answers;
    }

    private static void empty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }
}
