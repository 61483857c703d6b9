package io.fairlead.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/** A file with an input in it, for what reads files; for this user alone. */
public final class ScratchFile {
    private final Path path;
    private final FileChannel content;

    /** Names it, in a folder of its own. */
    public ScratchFile(String name) {
        try {
            Path folder = Files.createTempDirectory("fairlead-fuzz-");
            folder.toFile().deleteOnExit();
            path = folder.resolve(name);
            content = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            path.toFile().deleteOnExit();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Puts something in it; where it is. */
    public Path write(byte[] bytes) {
        try {
            // A file that was emptied, written and closed is put on the disk at once by some file systems, which takes
            // its time. So it stays open, and is cut behind its new content.
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                content.write(rest, rest.position());
            }
            content.truncate(bytes.length);
            return path;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Where it is. */
    public Path path() {
        return path;
    }
}
