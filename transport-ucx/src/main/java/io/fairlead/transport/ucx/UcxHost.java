package io.fairlead.transport.ucx;

import io.fairlead.spi.host.HostFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Everything that {@link UcxDiagnosis} checks, which tests can replace.
 *
 * @param files the kernel's files
 * @param environment the environment variables
 * @param library opens libucp; called only if that is harmless
 * @param jucx loads JUCX's library and returns the fault, or empty; called only if libucp is usable
 * @param information the output of {@code ucx_info -v -b}, if it is installed
 * @param space the capacity of a folder's file system
 * @param thread tries to start a thread: the error number, or 0
 */
record UcxHost(
        HostFiles files,
        Map<String, String> environment,
        Supplier<UcxLibrary> library,
        Supplier<String> jucx,
        Supplier<Optional<String>> information,
        Function<Path, Optional<Space>> space,
        Supplier<Integer> thread) {
    private static final int INFORMATION_TIMEOUT_S = 5;

    /**
     * The capacity of a file system.
     *
     * @param total in bytes
     * @param free in bytes, for this user
     * @param writable whether this process may create files there; not if it is mounted read-only
     */
    record Space(long total, long free, boolean writable) {}

    /** The host that this process runs on. */
    static UcxHost here() {
        return new UcxHost(
                new HostFiles(Path.of("/")),
                System.getenv(),
                UcxLibrary::open,
                JucxLibrary::load,
                UcxHost::readInformation,
                UcxHost::readSpace,
                NativeThread::attempt);
    }

    private static Optional<String> readInformation() {
        Process process;
        try {
            process = new ProcessBuilder("ucx_info", "-v", "-b")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException notInstalled) {
            return Optional.empty();
        }
        try {
            // Its output fits the pipe, so it can end before the output is read.
            if (!process.waitFor(INFORMATION_TIMEOUT_S, TimeUnit.SECONDS)) {
                return Optional.empty();
            }
            return Optional.of(new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1));
        } catch (IOException unreadable) {
            return Optional.empty();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } finally {
            process.destroyForcibly();
        }
    }

    private static Optional<Space> readSpace(Path folder) {
        try {
            FileStore store = Files.getFileStore(folder);
            return Optional.of(new Space(store.getTotalSpace(), store.getUsableSpace(), Files.isWritable(folder)));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }
}
