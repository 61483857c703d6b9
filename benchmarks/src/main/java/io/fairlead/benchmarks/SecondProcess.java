package io.fairlead.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts the other process of a comparison: the same JVM with all its compilers, and the same class path. */
final class SecondProcess {
    private SecondProcess() {}

    static Process start(List<String> jvmOptions, Class<?> mainClass, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(jvmOptions);
        command.addAll(List.of("--class-path", System.getProperty("java.class.path"), mainClass.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
