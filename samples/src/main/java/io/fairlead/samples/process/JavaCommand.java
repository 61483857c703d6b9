package io.fairlead.samples.process;

import io.fairlead.samples.cli.CommandLog;
import io.fairlead.samples.cli.FairleadCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The command line that starts this same program again: the same JVM, and the same module or class path. */
final class JavaCommand {
    /**
     * Several JVMs share the processors of one host for a few seconds: the first compiler makes code that is fast enough at a
     * fraction of the work, and the serial collector has no threads of its own.
     */
    private static final List<String> JVM_OPTIONS =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-XX:-UsePerfData");

    /** The system property that tells a process that it is a {@link ChildProcess}. */
    static final String CHILD_PROPERTY = "fairlead.child";

    private JavaCommand() {}

    static List<String> fairleadChild(List<String> args) {
        List<String> options = new ArrayList<>(CommandLog.jvmOptions());
        options.add("-D" + CHILD_PROPERTY + "=true");
        return command(options, args);
    }

    static List<String> fairlead(List<String> args) {
        return command(List.of(), args);
    }

    private static List<String> command(List<String> jvmOptions, List<String> args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM_OPTIONS);
        command.addAll(jvmOptions);
        Module module = FairleadCommand.class.getModule();
        String main = FairleadCommand.class.getName();
        if (module.isNamed()) {
            command.add("--enable-native-access=" + ownModules(module));
            command.addAll(List.of("--module-path", System.getProperty("jdk.module.path")));
            command.addAll(List.of("--module", module.getName() + "/" + main));
        } else {
            command.add("--enable-native-access=ALL-UNNAMED");
            command.addAll(List.of("--class-path", System.getProperty("java.class.path"), main));
        }
        command.addAll(args);
        return command;
    }

    private static String ownModules(Module module) {
        return module.getLayer().modules().stream()
                .map(Module::getName)
                .filter(name -> name.startsWith("io.fairlead"))
                .sorted()
                .collect(Collectors.joining(","));
    }
}
