package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The resources of this process that a closed worker must have released, as they were at one moment: threads, and descriptors of sockets,
 * selectors, pipes and files outside the class path. Immutable.
 *
 * @param descriptors what each descriptor refers to; empty if the operating system does not report it
 * @param threads the live threads, except threads of the virtual machine and of the test runner
 */
public record Resources(List<String> descriptors, Set<Thread> threads) {
    private static final Duration RETURN_LIMIT = Duration.ofSeconds(10);
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Set<String> FOREIGN_THREADS =
            Set.of("process reaper", "Attach Listener", "Cleaner-0", "ForkJoinPool.commonPool-delayScheduler");

    static {
        // The first use of a selector and of a socket makes things that the virtual machine keeps for good.
        try (Selector selector = Selector.open();
                ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(null).configureBlocking(false).register(selector, server.validOps());
            selector.selectNow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Lists the resources that the process holds now.
     *
     * @return the resources
     */
    public static Resources now() {
        return new Resources(openDescriptors(), liveThreads());
    }

    /**
     * Whether the process holds no more than it did earlier.
     *
     * @param earlier the resources at that time
     * @return true if there are no more descriptors, and no thread that was not there
     */
    public boolean withinThoseOf(Resources earlier) {
        return descriptors.size() <= earlier.descriptors.size() && earlier.threads.containsAll(threads);
    }

    /**
     * Names what the process holds now and did not hold earlier.
     *
     * @param earlier the resources at that time
     * @return one line, for a failure
     */
    public String beyond(Resources earlier) {
        Set<Thread> added = threads.stream()
                .filter(thread -> !earlier.threads.contains(thread))
                .collect(Collectors.toSet());
        return "descriptors " + earlier.descriptors.size() + " before, " + descriptors.size() + " after "
                + descriptors.stream()
                        .filter(descriptor -> !earlier.descriptors.contains(descriptor))
                        .map(Resources::withKernelsLine)
                        .toList()
                + "; new threads " + added;
    }

    /** A descriptor with what the kernel says of it, if it is a socket. */
    private static String withKernelsLine(String descriptor) {
        String inode = descriptor.replaceAll("[^0-9]", "");
        for (String table : List.of("tcp", "tcp6", "udp", "unix")) {
            try (Stream<String> lines = Files.lines(Path.of("/proc/net", table))) {
                Optional<String> line = lines.filter(
                                text -> List.of(text.split("\\s+")).contains(inode))
                        .findAny();
                if (line.isPresent() && descriptor.startsWith("socket:")) {
                    return descriptor + " " + table + " " + line.get().strip();
                }
            } catch (IOException untold) {
                // Not here.
            }
        }
        return descriptor;
    }

    /** Fails if the process holds more than at an earlier stock, and goes on to. */
    static void assertNothingSince(Resources before) {
        // A dying thread and a descriptor closed by another thread take moments to go.
        long deadline = System.nanoTime() + RETURN_LIMIT.toNanos();
        Resources after = now();
        while (!after.withinThoseOf(before)) {
            if (System.nanoTime() > deadline) {
                fail("left behind: " + after.beyond(before));
            }
            LockSupport.parkNanos(1_000_000);
            after = now();
        }
    }

    private static List<String> openDescriptors() {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return List.of();
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(DESCRIPTORS)) {
            List<String> found = new java.util.ArrayList<>();
            for (Path entry : entries) {
                describe(entry, found);
            }
            return List.copyOf(found);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (DirectoryIteratorException e) {
            throw new UncheckedIOException(e.getCause());
        }
    }

    private static void describe(Path entry, List<String> found) {
        String target;
        try {
            target = Files.readSymbolicLink(entry).toString();
        } catch (IOException e) {
            // The descriptor was closed since the listing began, as that of the listing itself will be.
            return;
        }
        if (target.startsWith("socket:") || target.startsWith("pipe:") || target.startsWith("anon_inode:")) {
            found.add(target);
        }
    }

    private static Set<Thread> liveThreads() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        Thread[] threads = new Thread[group.activeCount() * 2 + 64];
        int count = group.enumerate(threads);
        return Arrays.stream(threads, 0, count)
                .filter(thread -> !FOREIGN_THREADS.contains(thread.getName())
                        && !thread.getName().startsWith("junit-")
                        && !thread.getName().startsWith("surefire-"))
                .collect(Collectors.toUnmodifiableSet());
    }
}
