package io.fairlead.testkit.roce;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What the guest boots from: Debian's kernel, and a first file system of a few modules and busybox. Both are made once and kept.
 *
 * @param kernel the kernel
 * @param initrd the first file system
 */
record GuestImage(Path kernel, Path initrd) {
    /** What the scripts of the suites source, and the program in C that one of them compiles. */
    static final List<String> LIBRARIES = List.of("lib.sh", "paths.sh", "contract.sh", "ucx-count.c");

    private static final long LIMIT_MINUTES = 10;

    /** Makes the image in a folder, unless it is there for the present scripts. */
    static GuestImage prepare(Path folder, Consumer<String> out) throws IOException, InterruptedException {
        GuestImage image = new GuestImage(folder.resolve("vmlinuz"), folder.resolve("initrd.gz"));
        String scripts = text("prepare.sh") + text("init.sh");
        Path made = folder.resolve("scripts");
        if (Files.exists(image.kernel)
                && Files.exists(image.initrd)
                && Files.exists(made)
                && Files.readString(made).equals(scripts)) {
            return image;
        }
        out.accept("roce: fetching Debian's kernel, about 70 MB, of which 10 MB stay in " + folder);
        Files.createDirectories(folder);
        Path work = Files.createTempDirectory("fairlead-roce-image");
        try {
            Path log = work.resolve("log");
            Process process = new ProcessBuilder(List.of(
                            "bash",
                            copy("prepare.sh", work).toString(),
                            folder.toAbsolutePath().toString(),
                            copy("init.sh", work).toString()))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            boolean ended = false;
            try {
                ended = process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES);
            } finally {
                process.descendants().forEach(ProcessHandle::destroy);
                process.destroy();
            }
            if (!ended || process.exitValue() != 0) {
                String last = Files.readAllLines(log).stream()
                        .filter(line -> !line.isBlank())
                        .reduce((first, second) -> second)
                        .orElse("no output");
                throw new RoceException("cannot make the guest's kernel: "
                        + (ended ? last : "not done in " + LIMIT_MINUTES + " minutes")
                        + "; it comes from the Debian package linux-image-amd64, so check apt's sources");
            }
        } finally {
            Folders.delete(work);
        }
        Files.writeString(made, scripts);
        return image;
    }

    /** Puts a script of this package into a folder. */
    static Path copy(String name, Path folder) throws IOException {
        Path target = folder.resolve(name);
        try (InputStream in = open(name)) {
            Files.copy(in, target, StandardCopyOption.REPLACE_EXISTING);
        }
        return target;
    }

    private static String text(String name) throws IOException {
        try (InputStream in = open(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static InputStream open(String name) {
        return Objects.requireNonNull(GuestImage.class.getResourceAsStream(name), name);
    }
}
