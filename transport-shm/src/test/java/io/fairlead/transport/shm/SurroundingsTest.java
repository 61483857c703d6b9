package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Context;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two processes of which one is in other surroundings: another user, another namespace, a container's filter, hardly any {@code /dev/shm}. Whether they
 * share memory is decided before the path is chosen, the reason says why, and no process ends of it. Played with {@code unshare} and {@code
 * setpriv}, for which one must be root.
 */
@Timeout(120)
final class SurroundingsTest {
    private record Outcome(String output, boolean received) {
        String line(String start) {
            return output.lines()
                    .filter(line -> line.startsWith(start))
                    .map(line -> line.substring(start.length()))
                    .findFirst()
                    .orElse("");
        }
    }

    @TempDir
    private Path folder;

    @Test
    void shouldShareMemoryWithAProcessOfThisHost() throws Exception {
        Outcome outcome = run(List.of(), "");
        assertTrue(outcome.received(), outcome::output);
        assertTrue(outcome.line("path: ").startsWith("shm over memory [rings"), outcome::output);
    }

    @Test
    void shouldGoInPartsWhereAFilterForbidsToReadProcesses() throws Exception {
        Outcome outcome = run(List.of(), "without-read");
        assertTrue(outcome.received(), outcome::output);
        // The listener may read the connector all the same; each side says what it does itself.
        assertTrue(outcome.line("path: ").startsWith("shm over memory [rings]"), outcome::output);
    }

    @Test
    void shouldNotBeThereWhereAFilterForbidsFilesInMemory() throws Exception {
        Outcome outcome = run(List.of(), "without-files");
        String availability = outcome.line("availability: ");
        assertTrue(availability.contains("memfd_create: errno=1"), outcome::output);
        assertTrue(availability.contains("let the container's seccomp profile allow memfd_create"), outcome::output);
        assertTrue(outcome.line("failed: ").contains("no transport is available"), outcome::output);
    }

    @Test
    void shouldRefuseAnotherUser() throws Exception {
        List<String> other = List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
        assumeTrue(canRun(other), "this user may not become another");
        Outcome outcome = run(other, "", readableClassPath());
        assertTrue(
                outcome.line("failed: ").contains("shm: they have different users (listener=0, connector=65534)"),
                outcome::output);
    }

    @Test
    void shouldRefuseAnotherProcessNamespace() throws Exception {
        List<String> other = List.of("unshare", "--pid", "--fork", "--mount-proc");
        assumeTrue(canRun(other), "this user may make no namespace");
        Outcome outcome = run(other, "");
        assertTrue(outcome.line("failed: ").contains("shm: they have different pid namespaces"), outcome::output);
    }

    /** The listener may look into the connector, and the connector may not look into the listener. */
    @Test
    void shouldSayWhyTheConnectorCannotLookIntoAListenerWithMoreCapabilities() throws Exception {
        List<String> plain = List.of("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all");
        assumeTrue(canRun(plain), "this user may give up no capability");
        Outcome outcome = run(plain, "");
        String failure = outcome.line("failed: ");
        assertTrue(failure.contains("the peer's memory cannot be mapped"), outcome::output);
        assertTrue(failure.contains("may have a capability that this one lacks"), outcome::output);
    }

    /** Containers have each a {@code /dev/shm} of their own, often with no room in it. */
    @ParameterizedTest
    @ValueSource(strings = {"size=8m", "size=4k,nr_inodes=1", "ro"})
    void shouldNeedNoFolderThatBothProcessesHave(String options) throws Exception {
        Outcome outcome = inMount(options, "");
        assertTrue(outcome.received(), outcome::output);
        assertTrue(outcome.line("path: ").startsWith("shm over memory [rings"), outcome::output);
    }

    /** What a region takes is no matter of {@code /dev/shm}. */
    @Test
    void shouldAllocateMoreThanTheFolderHolds() throws Exception {
        Outcome outcome = inMount("size=1m", "region-" + (16 << 20));
        assertEquals("" + (16 << 20), outcome.line("region: "), outcome::output);
    }

    @Test
    void shouldRefuseARegionThatThereIsNoMemoryFor() throws Exception {
        Outcome outcome = run(List.of(), "region-" + (1L << 44));
        String region = outcome.line("region: ");
        assertTrue(
                region.startsWith("REGISTRATION_FAILED cannot allocate a memory region: length=17592186044416"),
                region);
        assertTrue(region.contains("too little memory: needed=") && region.contains("ask for less"), region);
        assertTrue(outcome.received(), outcome::output);
    }

    /** Memory of the transport, and memory of the core for a transport that has none of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"region-", "plain-region-"})
    void shouldRefuseARegionBeyondTheLimitOfItsControlGroup(String kind) throws Exception {
        Path group = newGroup(512 << 20);
        try {
            List<String> inGroup =
                    List.of("sh", "-c", "echo $$ > " + group.resolve("cgroup.procs") + " && exec \"$@\"", "sh");
            assumeTrue(canRun(inGroup), "this user may move no process");
            Outcome outcome = run(inGroup, kind + (1 << 30));
            String region = outcome.line("region: ");
            assertTrue(
                    region.startsWith("REGISTRATION_FAILED cannot allocate a memory region: length=1073741824"),
                    outcome::output);
            assertTrue(region.contains("too little memory: needed=") && region.contains("ask for less"), region);
            assertTrue(outcome.received(), outcome::output);
        } finally {
            removeGroup(group);
        }
    }

    /** A control group with a limit, in the hierarchy that this host has; skips where this user may make none. */
    private static Path newGroup(long limit) {
        for (String[] hierarchy :
                new String[][] {{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"}}) {
            Path group = Path.of(
                    hierarchy[0], "fairlead-test-" + ProcessHandle.current().pid());
            try {
                Files.createDirectory(group);
            } catch (IOException | RuntimeException notHere) {
                continue;
            }
            try {
                Files.writeString(group.resolve(hierarchy[1]), limit + "\n", StandardOpenOption.WRITE);
                return group;
            } catch (IOException notLimited) {
                removeGroup(group);
            }
        }
        return abort("this user may limit no control group");
    }

    private static void removeGroup(Path group) {
        try {
            Files.delete(group);
        } catch (IOException still) {
            // The kernel removes it no sooner than its processes have gone; an empty group harms nobody.
            group.toFile().deleteOnExit();
        }
    }

    /** Other users may not read what is in this one's home. */
    private String readableClassPath() throws IOException {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path source = Path.of(entry);
            Path target = folder.resolve("" + entries.size());
            try (Stream<Path> files = Files.walk(source)) {
                for (Path file : files.toList()) {
                    Path copy = target.resolve(source.relativize(file).toString());
                    Files.copy(file, file.equals(source) ? target : copy);
                }
            }
            entries.add(target.toString());
        }
        try (Stream<Path> copies = Files.walk(folder)) {
            for (Path copy : copies.toList()) {
                Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private static Outcome inMount(String options, String condition) throws Exception {
        List<String> mount = List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs -o " + options + " tmpfs /dev/shm && exec \"$@\"",
                "sh");
        assumeTrue(canRun(mount), "this user may mount nothing, not even for itself");
        return run(mount, condition);
    }

    private static boolean canRun(List<String> prefix) throws InterruptedException {
        List<String> command = new ArrayList<>(prefix);
        command.add("true");
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException notInstalled) {
            return false;
        }
    }

    /** Listens, and lets a process with a prefix to its command connect. */
    private static Outcome run(List<String> prefix, String condition) throws Exception {
        return run(prefix, condition, System.getProperty("java.class.path"));
    }

    private static Outcome run(List<String> prefix, String condition, String classPath) throws Exception {
        FairleadConfig config = FairleadConfig.defaults()
                .with(ConfigKeys.TRANSPORTS, "shm")
                .with(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(60))
                .with(ConfigKeys.HELLO_TIMEOUT, Duration.ofSeconds(60));
        try (Arena arena = Arena.ofConfined();
                Context context = Context.open(config);
                Worker worker = context.newWorker()) {
            Listener listener =
                    worker.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE);
            MemorySegment room = arena.allocate(SurroundingsProgram.LENGTH);
            boolean[] received = {false};
            worker.receive(
                    room,
                    0,
                    SurroundingsProgram.LENGTH,
                    SurroundingsProgram.TAG,
                    Worker.FULL_TAG_MASK,
                    ended -> received[0] = room.get(ValueLayout.JAVA_BYTE, SurroundingsProgram.LENGTH - 1) == 7,
                    0);
            Process process = start(prefix, listener.address().getPort(), condition, classPath);
            CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> read(process));
            try {
                while (!output.isDone()) {
                    if (worker.progress() == 0) {
                        Thread.yield();
                    }
                }
                assertTrue(process.waitFor(10, TimeUnit.SECONDS), "the program does not end");
                for (int turn = 0; turn < 1000; turn++) {
                    worker.progress();
                }
                assertEquals(0, process.exitValue(), output::join);
                return new Outcome(output.join(), received[0]);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static Process start(List<String> prefix, int port, String condition, String classPath) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xshare:auto",
                "-XX:-UsePerfData",
                "-cp",
                classPath,
                SurroundingsProgram.class.getName(),
                "" + port));
        if (!condition.isEmpty()) {
            command.add(condition);
        }
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static String read(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException cutOff) {
            return cutOff.toString();
        }
    }
}
