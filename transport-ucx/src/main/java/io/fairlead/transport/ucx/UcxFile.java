package io.fairlead.transport.ucx;

import io.fairlead.spi.host.HostFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of libucp that the dynamic linker may load. Loading a file runs its constructors, so its version is read
 * from the file instead.
 */
final class UcxFile {
    private static final List<String> FOLDERS = List.of(
            "/usr/local/lib",
            "/lib/x86_64-linux-gnu",
            "/usr/lib/x86_64-linux-gnu",
            "/lib64",
            "/usr/lib64",
            "/lib",
            "/usr/lib");

    private static final String LINKER = "/etc/ld.so.conf.d";
    /** A separate string, as the C compiler stores it. */
    private static final Pattern VERSION = Pattern.compile("1\\.(\\d{1,3})\\.\\d{1,3}\0");

    private static final long LENGTH_MAX = 64 << 20;

    private UcxFile() {}

    /**
     * The minor version of the oldest libucp that the dynamic linker could load.
     *
     * @return the minor number; empty if none is found, or one of them has no readable version
     */
    static Optional<Integer> oldestMinor(HostFiles files, Map<String, String> environment) {
        List<Optional<Integer>> minors = new ArrayList<>();
        for (String folder : folders(files, environment)) {
            String name = folder + "/" + Ucp.LIBRARY;
            if (folder.startsWith("/") && files.exists(name)) {
                minors.add(minor(files.path(name)));
            }
        }
        return minors.stream().allMatch(Optional::isPresent)
                ? minors.stream().map(Optional::orElseThrow).min(Comparator.naturalOrder())
                : Optional.empty();
    }

    private static List<String> folders(HostFiles files, Map<String, String> environment) {
        List<String> folders = new ArrayList<>(
                List.of(environment.getOrDefault("LD_LIBRARY_PATH", "").split("[:;]", -1)));
        for (String name : files.names(LINKER)) {
            files.text(LINKER + "/" + name)
                    .ifPresent(text -> text.lines().map(String::strip).forEach(folders::add));
        }
        folders.addAll(FOLDERS);
        return folders;
    }

    private static Optional<Integer> minor(Path file) {
        try {
            if (Files.size(file) > LENGTH_MAX) {
                return Optional.empty();
            }
            Matcher versions = VERSION.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
            return versions.find() ? Optional.of(Integer.valueOf(versions.group(1))) : Optional.empty();
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }
}
