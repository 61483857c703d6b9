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
import io.fairlead.testkit.internal.ReadableCopies;
import io.fairlead.testkit.internal.TriedCommand;
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
import java.util.ArrayList;
import java.util.HexFormat;
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
    private static final int OTHER_USER_ID = 65534;
    private static final List<String> OTHER_USER =
            List.of("setpriv", "--reuid=" + OTHER_USER_ID, "--regid=" + OTHER_USER_ID, "--clear-groups");

    /** The files of configuration of this process and of the other one. */
    private record Sides(Path here, Path there) {}

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
    void shouldShareMemoryUnderTheFilterOfContainers() throws Exception {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "the numbers are those of x86-64");
        Outcome outcome = run(List.of(), "docker");
        assertTrue(outcome.received(), outcome::output);
        // This list refuses to read processes, which newer ones allow.
        assertTrue(outcome.line("path: ").startsWith("shm over memory [rings]"), outcome::output);
    }

    @Test
    void shouldNeedNeitherAWritableRootNorAFolderOfSharedMemory() throws Exception {
        List<String> bare = List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "umount -l /dev/shm; mount -o remount,bind,ro / && test ! -w / && exec \"$@\"",
                "sh");
        assumeTrue(canRun(bare), "this user may mount nothing, not even for itself");
        Outcome outcome = run(bare, "region-" + (1 << 20));
        assertEquals("" + (1 << 20), outcome.line("region: "), outcome::output);
        assertTrue(outcome.received(), outcome::output);
        assertTrue(outcome.line("path: ").startsWith("shm over memory [rings"), outcome::output);
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
    void shouldRefuseAnotherUserWithoutSecurity() throws Exception {
        assumeTrue(canRun(OTHER_USER), "this user may not become another");
        Outcome outcome = run(OTHER_USER, "", ReadableCopies.classPath());
        assertTrue(
                outcome.line("failed: ")
                        .contains("shm: they have different users (listener=0, connector=65534), and only"
                                + " security.mode=authenticated or encrypted lets them share memory"),
                outcome::output);
    }

    /** Keys tell friend from foe, and the kernel who may open what. */
    @ParameterizedTest
    @ValueSource(strings = {"", "unshare --user --map-root-user --pid --fork --mount-proc --ipc --mount --uts"})
    void shouldShareMemoryWithAnotherUserIfConnectionsAreSecured(String namespaces) throws Exception {
        List<String> other = new ArrayList<>(OTHER_USER);
        if (!namespaces.isEmpty()) {
            other.addAll(List.of(namespaces.split(" ", -1)));
        }
        assumeTrue(canRun(other), "this user may not become another");
        String secret = HexFormat.of().formatHex(SocketId.randomBytes(32));
        Sides sides = new Sides(secured("here", secret, Libc.user()), secured("there", secret, OTHER_USER_ID));
        Outcome outcome = run(other, "", ReadableCopies.classPath(), sides);
        assertTrue(outcome.received(), outcome::output);
        assertTrue(outcome.line("path: ").startsWith("shm over memory [rings"), outcome::output);
    }

    private Path secured(String name, String secret, int owner) throws IOException {
        Path file = Files.writeString(folder.resolve(name + ".secret"), secret + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.setAttribute(file, "unix:uid", owner);
        return write(name, "security.mode = authenticated\nsecurity.shared-secret-file = \"" + file + "\"\n");
    }

    private Path write(String name, String lines) throws IOException {
        Path file = Files.writeString(folder.resolve(name + ".conf"), lines);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        // JUnit makes it for this user alone.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    /** Pods of a node have a folder in common, and networks of their own. */
    @Test
    void shouldMeetInAFolder() throws Exception {
        Path sockets = Files.createDirectory(folder.resolve("sockets"));
        Path both = write("both", "shm.socket-dir = \"" + sockets + "\"\n");
        Outcome outcome = run(List.of(), "", System.getProperty("java.class.path"), new Sides(both, both));
        assertTrue(outcome.received(), outcome::output);
        try (Stream<Path> left = Files.list(sockets)) {
            assertEquals(List.of(), left.toList());
        }
        Path none = write("none", "");
        Outcome alone = run(List.of(), "", System.getProperty("java.class.path"), new Sides(both, none));
        assertTrue(
                alone.line("failed: ").contains("shm: shm.socket-dir is set at the listener alone; set it at both"),
                alone::output);
    }

    /** Containers differ in one or several of these; a pod's share the network namespace. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--pid --fork --mount-proc",
                "--ipc",
                "--mount",
                "--uts",
                "--cgroup",
                "--user --map-root-user",
                "--pid --fork --mount-proc --ipc --mount --uts --cgroup",
                "--user --map-root-user --pid --fork --mount-proc --ipc --mount"
            })
    void shouldShareMemoryAcrossNamespaces(String namespaces) throws Exception {
        List<String> other = new ArrayList<>(List.of("unshare"));
        other.addAll(List.of(namespaces.split(" ", -1)));
        assumeTrue(canRun(other), "this user may make no such namespace");
        Outcome outcome = run(other, "");
        assertTrue(outcome.received(), outcome::output);
        assertTrue(outcome.line("path: ").startsWith("shm over memory [rings"), outcome::output);
        if (namespaces.contains("--pid")) {
            // It does not see the listener, and so cannot read it; the listener may still read it.
            assertTrue(outcome.line("path: ").startsWith("shm over memory [rings]"), outcome::output);
        }
    }

    /** A user namespace has another id for the same user: the kernel reports the one that counts. */
    @Test
    void shouldTellUsersApartByTheKernelsWord() throws Exception {
        List<String> other = new ArrayList<>(OTHER_USER);
        other.addAll(List.of("unshare", "--user", "--map-root-user"));
        assumeTrue(canRun(other), "this user may not become another that has a namespace");
        Outcome outcome = run(other, "", ReadableCopies.classPath());
        assertTrue(
                outcome.line("failed: ").contains("shm: they have different users (listener=0, connector=65534)"),
                outcome::output);
    }

    /** Neither may look into the other by the kernel's rules for processes; no rule for those is asked. */
    @Test
    void shouldShareMemoryWithAListenerOfMoreCapabilities() throws Exception {
        List<String> plain = List.of("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all");
        assumeTrue(canRun(plain), "this user may give up no capability");
        Outcome outcome = run(plain, "");
        assertTrue(outcome.received(), outcome::output);
        assertTrue(outcome.line("path: ").startsWith("shm over memory [rings"), outcome::output);
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

    /**
     * The kernel would end the process: no single one of these is worth a check, but all together are beyond the limit.
     */
    @ParameterizedTest
    @ValueSource(strings = {"regions", "rings"})
    void shouldRefuseTheRegionOrRingThatReachesTheLimitOfASmallControlGroup(String kind) throws Exception {
        Path group = newGroup(64 << 20);
        try {
            Outcome outcome = run(List.of(), kind + "-in-" + group.resolve("cgroup.procs"));
            int made = Integer.parseInt(outcome.line("made: "));
            assertTrue(made > 0, outcome::output);
            assertTrue(outcome.line("refused: ").contains("too little memory: needed="), outcome::output);
            // It lives, and has its memory back.
            assertTrue(outcome.received(), outcome::output);
            assertTrue(outcome.line("path: ").startsWith("shm over memory [rings"), outcome::output);
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

    private Outcome inMount(String options, String condition) throws Exception {
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

    static boolean canRun(List<String> prefix) throws InterruptedException {
        List<String> command = new ArrayList<>(prefix);
        command.add("true");
        return TriedCommand.succeeds(command);
    }

    /** Listens, and lets a process with a prefix to its command connect. */
    private Outcome run(List<String> prefix, String condition) throws Exception {
        return run(prefix, condition, System.getProperty("java.class.path"));
    }

    private Outcome run(List<String> prefix, String condition, String classPath) throws Exception {
        Path empty = write("empty", "");
        return run(prefix, condition, classPath, new Sides(empty, empty));
    }

    private static Outcome run(List<String> prefix, String condition, String classPath, Sides sides) throws Exception {
        FairleadConfig config = SurroundingsProgram.config(sides.here);
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
            Process process = start(prefix, listener.address().getPort(), sides.there, condition, classPath);
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

    private static Process start(List<String> prefix, int port, Path config, String condition, String classPath)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xshare:auto",
                "-XX:-UsePerfData",
                "-cp",
                classPath,
                SurroundingsProgram.class.getName(),
                "" + port,
                config.toString()));
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
