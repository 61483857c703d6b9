package io.fairlead.transport.ucx;

import io.fairlead.spi.Diagnosis;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The checks before libucp is loaded. Loading runs the constructors of libucs: they replace the JVM's signal handlers,
 * and end the process if a property of the host is unusable.
 */
final class UcxLoading {
    /** From this release on UCX handles signals only on request. */
    static final int MINOR_WITHOUT_SIGNALS = 20;

    private static final String SIGNALS = "ucx signals";
    /** UCX copies the host name into a buffer of this size, with a terminating zero (1.13, {@code ucs_log_init}). */
    private static final int HOST_NAME_MAX = 64;

    private static final String SIGNALS_VARIABLE = "UCX_ERROR_SIGNALS";
    private static final String HANDLING_VARIABLE = "UCX_HANDLE_ERRORS";

    private final UcxHost host;

    UcxLoading(UcxHost host) {
        this.host = host;
    }

    /** The findings; libucp must not be loaded unless all are OK. */
    List<Diagnosis> run() {
        return List.of(signals(), hostName(), logFile());
    }

    /** Whether the environment keeps UCX from handling signals, in any release. */
    static boolean leavesSignals(Map<String, String> environment) {
        return "".equals(environment.get(SIGNALS_VARIABLE)) || "none".equals(environment.get(HANDLING_VARIABLE));
    }

    /** Restores the JVM's signal handlers, if a libucp other than the checked one has replaced them. */
    @SuppressWarnings("restricted")
    static void giveSignalsBack() {
        SymbolLookup.libraryLookup(Ucp.LIBRARY, Arena.global())
                .find("ucs_debug_disable_signals")
                .ifPresent(function -> {
                    try {
                        Linker.nativeLinker()
                                .downcallHandle(function, FunctionDescriptor.ofVoid())
                                .invokeExact();
                    } catch (Throwable impossible) {
                        throw new IllegalStateException("ucs_debug_disable_signals threw, which it cannot", impossible);
                    }
                });
    }

    private Diagnosis signals() {
        Map<String, String> environment = host.environment();
        String settings = setting(SIGNALS_VARIABLE, environment.get(SIGNALS_VARIABLE)) + ", "
                + setting(HANDLING_VARIABLE, environment.get(HANDLING_VARIABLE));
        if (leavesSignals(environment)) {
            return Diagnosis.ok(SIGNALS, "left to the JVM: " + settings);
        }
        boolean unset = !environment.containsKey(SIGNALS_VARIABLE) && !environment.containsKey(HANDLING_VARIABLE);
        int minor = unset ? UcxFile.oldestMinor(host.files(), environment).orElse(0) : 0;
        if (minor >= MINOR_WITHOUT_SIGNALS) {
            return Diagnosis.ok(SIGNALS, "left to the JVM: UCX 1." + minor + " takes none by itself, " + settings);
        }
        return Diagnosis.failure(
                SIGNALS,
                "UCX would take SIGSEGV from the JVM and end it at the next null check, so it is not used: "
                        + (minor == 0 ? "" : "UCX 1." + minor + ", ") + settings,
                "start Java with UCX_ERROR_SIGNALS= (empty) in the environment, as the launcher does");
    }

    private static String setting(String name, @Nullable String value) {
        return value == null ? name + " is not set" : name + "=" + value;
    }

    private Diagnosis hostName() {
        int length = host.files().text("/proc/sys/kernel/hostname").orElse("").length();
        return length < HOST_NAME_MAX
                ? Diagnosis.ok("ucx host name", "length=" + length + " bytes")
                : Diagnosis.failure(
                        "ucx host name",
                        "UCX would end the process over the host's name, so it is not used: length=" + length
                                + " bytes, limit=" + (HOST_NAME_MAX - 1) + " bytes",
                        "give the host or container a shorter name with: hostname NAME");
    }

    /** UCX ends the process if it cannot open its log file. */
    private Diagnosis logFile() {
        String value = host.environment().getOrDefault("UCX_LOG_FILE", "");
        if (isStream(value)) {
            return Diagnosis.ok("ucx log file", "none");
        }
        String name = value.startsWith("file:") ? value.substring("file:".length()) : value;
        // The file's size limit follows a colon.
        Path file = Path.of(name.split(":", 2)[0]).toAbsolutePath();
        Path folder = file.getParent();
        boolean writable = Files.exists(file) ? Files.isWritable(file) : folder != null && Files.isWritable(folder);
        return writable
                ? Diagnosis.ok("ucx log file", "UCX_LOG_FILE=" + value)
                : Diagnosis.failure(
                        "ucx log file",
                        "UCX would end the process, since it cannot write its log, so it is not used: UCX_LOG_FILE="
                                + value,
                        "name a file in a folder that this user may write to, without % in the folder's name, or stderr");
    }

    private static boolean isStream(String value) {
        String name = value.split(":", 2)[0];
        return "stdout".startsWith(name) || "stderr".startsWith(name);
    }
}
