package io.fairlead.testkit.roce;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A running guest, which sees this host's files but cannot change them, and has one folder in common with it. */
final class Guest implements AutoCloseable {
    private static final Path KVM = Path.of("/dev/kvm");
    private static final long GRACE_MS = 2000;

    private final Process process;
    private final Consumer<String> out;
    private final Thread reader;

    private Guest(Process process, Path console, Consumer<String> out) {
        this.process = process;
        this.out = out;
        this.reader = Thread.ofPlatform().daemon().name("roce-console").start(() -> read(console));
    }

    /**
     * Starts a guest with the shared folder as {@code /out}, where it finds what to do and leaves what came of it. What it shares with
     * other guests it may mount.
     *
     * @param clockShift without KVM, an instruction takes two to this power ns of the guest's clock
     */
    static Guest boot(GuestImage image, Path shared, Path claims, int clockShift, Consumer<String> out) {
        List<String> command = new ArrayList<>(List.of("nice", "-n", "5", "qemu-system-x86_64", "-machine", "q35"));
        if (hasKvm()) {
            command.addAll(List.of("-accel", "kvm", "-accel", "tcg", "-cpu", "max", "-smp", "2"));
        } else {
            // One processor is faster than several that keep each other waiting when this host is busy. Its clock
            // counts
            // instructions, so that a busy host makes nothing in the guest come too late. (It must not jump over idle
            // times, since waiting for this host's files would then take minutes.) Without the two features the kernel
            // clears memory by words: emulated, a byte is an instruction.
            command.addAll(List.of("-accel", "tcg,tb-size=512", "-cpu", "max,-erms,-fsrm", "-smp", "1"));
            command.addAll(List.of("-icount", "shift=" + clockShift));
        }
        command.addAll(List.of("-m", "3G", "-nodefaults", "-no-reboot", "-display", "none"));
        command.addAll(List.of("-serial", "stdio"));
        command.addAll(List.of("-kernel", image.kernel().toString()));
        command.addAll(List.of("-initrd", image.initrd().toString()));
        command.addAll(
                List.of("-append", "console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off nokaslr nowatchdog"));
        share(command, "root", "path=/,readonly=on,multidevs=remap");
        share(command, "out", "path=" + shared);
        share(command, "claims", "path=" + claims);
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            return new Guest(process, shared.resolve("console.log"), out);
        } catch (IOException failure) {
            throw new RoceException("cannot start qemu-system-x86_64: " + failure.getMessage()
                    + "; install it with: apt-get install -y --no-install-recommends qemu-system-x86");
        }
    }

    private static void share(List<String> command, String tag, String options) {
        command.addAll(List.of("-fsdev", "local,id=" + tag + ",security_model=none," + options));
        command.addAll(List.of("-device", "virtio-9p-pci,fsdev=" + tag + ",mount_tag=" + tag));
    }

    /** Whether this host can run a guest on its processor; the device alone may be there without that. */
    static boolean hasKvm() {
        try {
            return Files.isWritable(KVM)
                    && Files.readString(Path.of("/proc/cpuinfo"))
                            .lines()
                            .filter(line -> line.startsWith("flags"))
                            .anyMatch(line -> line.matches(".*\\b(vmx|svm)\\b.*"));
        } catch (IOException unreadable) {
            return false;
        }
    }

    private void read(Path console) {
        try (BufferedReader in = process.inputReader(StandardCharsets.ISO_8859_1);
                PrintWriter log = new PrintWriter(console.toFile(), StandardCharsets.UTF_8)) {
            in.lines().forEach(line -> {
                log.println(line);
                log.flush();
                // What the kernel says has its time in front.
                if (!line.isBlank() && !line.matches("\\[ *\\d+\\.\\d+\\].*")) {
                    out.accept(line.strip());
                }
            });
        } catch (IOException | UncheckedIOException broken) {
            out.accept("roce: the guest's console cannot be read: " + broken.getMessage());
        }
    }

    /** Waits for the guest to power off; false if it has not by then. */
    boolean await(long timeoutNs) throws InterruptedException {
        boolean ended = process.waitFor(timeoutNs, TimeUnit.NANOSECONDS);
        if (ended) {
            reader.join(GRACE_MS);
        }
        return ended;
    }

    /** Ends the guest, whatever it does; thread-safe. */
    void stop() {
        process.destroy();
    }

    @Override
    public void close() {
        stop();
        try {
            if (!process.waitFor(GRACE_MS, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
            reader.join(GRACE_MS);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
