package io.fairlead.cli.process;

import io.fairlead.cli.command.CommandLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The command line that starts this same program again: the same JVM, and the same module or class path. */
public final class JavaCommand {
    /**
     * Several JVMs share the processors of one host for a few seconds: the first compiler makes code that is fast enough at a
     * fraction of the work, and the serial collector has no threads of its own.
     */
    private static final List<String> LIGHT =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-XX:-UsePerfData");

    /** The command's root, by its name: it knows every subcommand, and the subcommands start it as a process. */
    public static final String MAIN = "io.fairlead.cli.FairleadCommand";

    /** The system property with the AOT cache that this process and those that it starts are started from. */
    private static final String CACHE_PROPERTY = "fairlead.aot";

    /** The system property that marks a process as a {@link ChildProcess}. */
    static final String CHILD_PROPERTY = "fairlead.child";

    private JavaCommand() {}

    static List<String> fairleadChild(List<String> args) {
        List<String> options = new ArrayList<>(LIGHT);
        options.addAll(childOptions());
        return command(options, MAIN, args);
    }

    /**
     * A process that is measured: with all compilers and the JVM's own choice of a collector.
     *
     * @param jvmOptions in addition to the options that every process has
     * @param main its main class, of this module
     * @param args its arguments
     * @return the command line of the process
     */
    public static List<String> measured(List<String> jvmOptions, Class<?> main, List<String> args) {
        List<String> options = new ArrayList<>(CommandLog.jvmOptions());
        options.addAll(jvmOptions);
        return command(options, main.getName(), args);
    }

    /**
     * A command like one that a user starts, with a light JVM.
     *
     * @param args the command line after {@code fairlead}
     * @return the command line of the process
     */
    public static List<String> fairlead(List<String> args) {
        return command(LIGHT, MAIN, args);
    }

    private static List<String> childOptions() {
        List<String> options = new ArrayList<>(CommandLog.jvmOptions());
        options.add("-D" + CHILD_PROPERTY + "=true");
        String cache = System.getProperty(CACHE_PROPERTY);
        if (cache != null) {
            options.addAll(cacheOptions(cache));
        }
        return options;
    }

    /**
     * What a process needs to start from an AOT cache, as do the processes that it starts. A cache that does not fit is ignored, and not
     * mentioned in the output of the command.
     *
     * @param cache its file
     * @return options of the JVM
     */
    public static List<String> cacheOptions(String cache) {
        return List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off,cds*=off", "-D" + CACHE_PROPERTY + "=" + cache);
    }

    private static List<String> command(List<String> jvmOptions, String main, List<String> args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        Module module = JavaCommand.class.getModule();
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
