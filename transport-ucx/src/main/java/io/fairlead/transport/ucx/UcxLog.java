package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Map;
import java.util.Optional;

/**
 * UCX's own log. UCX writes it to standard output unless {@code UCX_LOG_FILE} was set when the library was loaded.
 * Standard output belongs to the application, so UCX logs nothing there.
 *
 * <p>A log handler of ours is impossible. UCX would call it from its own threads, from inside functions that are called
 * without a thread state transition, and from its destructors when the JVM is gone; each of these ends the process.
 */
final class UcxLog {
    private static final String FILE = "UCX_LOG_FILE";
    private static final String LEVEL = "UCX_LOG_LEVEL";
    /** Nothing is logged at this level: a fatal error is written to standard error and ends the process. */
    private static final String SILENT = "fatal";
    /** Below UCX's default, at which every start would warn that JUCX was built for a newer UCX. */
    private static final String ERRORS = "error";

    private UcxLog() {}

    /** Whether UCX writes to standard output, by its own rule for the variable. */
    static boolean onStandardOutput(Map<String, String> environment) {
        String stream = environment.getOrDefault(FILE, "").split(":", 2)[0];
        return "stdout".startsWith(stream);
    }

    /** UCX's log level. */
    static String level(Map<String, String> environment) {
        return onStandardOutput(environment) ? SILENT : environment.getOrDefault(LEVEL, ERRORS);
    }

    /** Silences UCX from now on if it would write to standard output: it reports faulty settings before any context. */
    @SuppressWarnings("restricted")
    static void restrain(Map<String, String> environment) {
        if (!onStandardOutput(environment)) {
            return;
        }
        Optional<MemorySegment> function =
                SymbolLookup.libraryLookup(Ucp.LIBRARY, Arena.global()).find("ucs_global_opts_set_value");
        if (function.isEmpty()) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            byte _ = (byte) Linker.nativeLinker()
                    .downcallHandle(function.get(), FunctionDescriptor.of(JAVA_BYTE, ADDRESS, ADDRESS))
                    .invokeExact(arena.allocateFrom("LOG_LEVEL"), arena.allocateFrom(SILENT));
        } catch (Throwable impossible) {
            throw new IllegalStateException("ucs_global_opts_set_value threw, which it cannot", impossible);
        }
    }
}
