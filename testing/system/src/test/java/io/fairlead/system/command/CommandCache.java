package io.fairlead.system.command;

import io.fairlead.cli.process.JavaCommand;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The AOT cache from which the commands of the tests start with two thirds of the work. The first test makes it, unless it is there: by a command
 * whose classes most others need too. A cache is for jars alone, so there is none where the class path has the command as a folder.
 */
final class CommandCache {
    private static final long DEADLINE_S = 120;
    private static final String CLASS_PATH = System.getProperty("java.class.path");
    private static final List<String> JARS = Pattern.compile(File.pathSeparator)
            .splitAsStream(CLASS_PATH)
            .filter(entry -> entry.endsWith(".jar"))
            .toList();
    private static final Optional<Path> CACHE = find();

    private CommandCache() {}

    /** Lets a command line of {@link JavaCommand} start from the cache, if there is one. */
    static List<String> use(List<String> command) {
        return CACHE.map(cache -> withOptions(command, JavaCommand.cacheOptions(cache.toString())))
                .orElse(command);
    }

    private static List<String> withOptions(List<String> command, List<String> options) {
        List<String> changed = new ArrayList<>(command);
        changed.replaceAll(word -> word.equals(CLASS_PATH) ? String.join(File.pathSeparator, JARS) : word);
        changed.addAll(1, options);
        return changed;
    }

    private static Optional<Path> find() {
        if (JARS.stream().noneMatch(jar -> jar.contains("/fairlead-cli"))) {
            return Optional.empty();
        }
        try {
            Path folder = Files.createDirectories(Path.of(System.getProperty("basedir", "."))
                    .resolve("target/aot")
                    .toAbsolutePath());
            // Another JVM may run other tests of this module.
            try (FileChannel file = FileChannel.open(
                            folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock _ = file.lock()) {
                Path cache = folder.resolve(name());
                if (!Files.exists(cache)) {
                    make(cache);
                }
                return Optional.of(cache).filter(Files::exists);
            }
        } catch (IOException e) {
            // The tests run without a cache too.
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** A name that no cache of other jars or of another JDK has. */
    private static String name() throws IOException {
        StringBuilder state = new StringBuilder(System.getProperty("java.home"));
        state.append(System.getProperty("java.vm.version"));
        for (String jar : JARS) {
            Path file = Path.of(jar);
            state.append('\n').append(jar).append(Files.size(file)).append(Files.getLastModifiedTime(file));
        }
        return UUID.nameUUIDFromBytes(state.toString().getBytes(StandardCharsets.UTF_8)) + ".aot";
    }

    private static void make(Path cache) throws IOException, InterruptedException {
        try (Stream<Path> older = Files.list(cache.getParent())) {
            for (Path file :
                    older.filter(file -> file.toString().contains(".aot")).toList()) {
                Files.delete(file);
            }
        }
        Path unfinished = cache.resolveSibling("new.aot");
        List<String> command = withOptions(
                JavaCommand.fairlead(List.of("info", "--json")), List.of("-XX:AOTCacheOutput=" + unfinished));
        Process process = CommandRun.builder(command)
                .redirectErrorStream(true)
                .redirectOutput(cache.resolveSibling("log").toFile())
                .start();
        if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        } else if (Files.exists(unfinished)) {
            Files.move(unfinished, cache, StandardCopyOption.ATOMIC_MOVE);
        }
    }
}
