package io.fairlead.internal.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * Identifies the state of files, to detect their replacement: time, size, and identity, with links followed. Immutable.
 *
 * @param stamps one for each file
 * @param newest modification time of the newest file
 */
record FileStamps(List<Object> stamps, Instant newest) {
    /**
     * A file may be written again within this time without a visible change: clocks of file systems are coarse, some
     * count in seconds.
     */
    private static final Duration COARSE = Duration.ofSeconds(3);

    private record Stamp(Instant written, long size, String identity) {}

    /** Stamps files; a missing file has a stamp too. */
    static FileStamps of(Collection<Path> files) {
        List<Object> stamps = new ArrayList<>();
        Instant newest = Instant.MIN;
        for (Path file : files) {
            try {
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                Instant written = attributes.lastModifiedTime().toInstant();
                stamps.add(new Stamp(written, attributes.size(), Objects.toString(attributes.fileKey())));
                newest = written.isAfter(newest) ? written : newest;
            } catch (IOException absent) {
                stamps.add(absent.getClass().getName());
            }
        }
        return new FileStamps(List.copyOf(stamps), newest);
    }

    /** Whether the files may have been written again after the check without another stamp. */
    boolean isYoung(Instant lookedAt) {
        return newest.isAfter(lookedAt.minus(COARSE));
    }
}
