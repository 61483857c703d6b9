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
 * What tells files from those that will take their place: time, size, and identity, behind links. Immutable.
 *
 * @param stamps one for each file
 * @param newest when the newest file was written
 */
record FileStamps(List<Object> stamps, Instant newest) {
    /** Within what time a file may be written again without being seen: clocks of file systems are coarse, some count in seconds. */
    private static final Duration COARSE = Duration.ofSeconds(3);

    private record Stamp(Instant written, long size, String identity) {}

    /** Looks at files; one that is not there has a stamp too. */
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

    /** Whether the files may have been written again after they had been looked at, without another stamp. */
    boolean isYoung(Instant lookedAt) {
        return newest.isAfter(lookedAt.minus(COARSE));
    }
}
