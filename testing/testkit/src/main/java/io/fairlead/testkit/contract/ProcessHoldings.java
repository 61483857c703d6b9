package io.fairlead.testkit.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What this process holds of the things that native code can leave behind, and what it has left in the kernel. Everything is empty if
 * the operating system does not report it.
 *
 * @param descriptors what each descriptor refers to, other than archives of classes
 * @param sharedMappings mappings of shared memory, by name
 * @param segments names in the folder of shared memory
 * @param residentBytes memory that is in use
 */
record ProcessHoldings(
        List<String> descriptors, List<String> sharedMappings, Set<String> segments, long residentBytes) {
    private static final Path SEGMENTS = Path.of("/dev/shm");

    static ProcessHoldings now() {
        System.gc();
        return new ProcessHoldings(descriptorsNow(), mappingsNow(), segmentsNow(), residentNow());
    }

    boolean withinThoseOf(ProcessHoldings earlier) {
        return descriptors.size() <= earlier.descriptors.size()
                && sharedMappings.size() <= earlier.sharedMappings.size()
                && earlier.segments.containsAll(segments);
    }

    /** Names what there is more of, in one line. */
    String beyond(ProcessHoldings earlier) {
        Set<String> left = new TreeSet<>(segments);
        left.removeAll(earlier.segments);
        return "descriptors " + earlier.descriptors.size() + " before, " + descriptors.size() + " after "
                + descriptors.stream()
                        .filter(name -> !earlier.descriptors.contains(name))
                        .toList()
                + "; mappings of shared memory " + earlier.sharedMappings.size() + " before, " + sharedMappings.size()
                + " after; segments left " + left;
    }

    private static List<String> descriptorsNow() {
        List<String> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path entry : entries) {
                describe(entry, found);
            }
        } catch (IOException | DirectoryIteratorException untold) {
            return List.of();
        }
        return found;
    }

    private static void describe(Path entry, List<String> found) {
        try {
            String target = Files.readSymbolicLink(entry).toString();
            if (!target.endsWith(".jar") && !target.startsWith("/proc/")) {
                found.add(target);
            }
        } catch (IOException closedMeanwhile) {
            // As the descriptor of the listing itself may be.
        }
    }

    private static List<String> mappingsNow() {
        return lines("/proc/self/maps")
                .filter(line -> line.contains("/dev/shm/") || line.contains("/SYSV") || line.contains("/memfd:"))
                .map(line -> line.substring(line.indexOf('/')))
                .toList();
    }

    /** Segments of UCX only, because all processes share the folder. UCX removes each name soon after it creates the segment. */
    private static Set<String> segmentsNow() {
        if (!Files.isDirectory(SEGMENTS)) {
            return Set.of();
        }
        try (Stream<Path> names = Files.list(SEGMENTS)) {
            return names.map(name -> name.getFileName().toString())
                    .filter(name -> name.startsWith("ucx"))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long residentNow() {
        return lines("/proc/self/status")
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .findFirst()
                .orElse(0);
    }

    private static Stream<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file)).stream();
        } catch (IOException untold) {
            return Stream.of();
        }
    }
}
