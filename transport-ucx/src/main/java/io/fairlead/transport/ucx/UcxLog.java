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
 * UCX's own log. UCX writes it to standard output unless {@code UCX_LOG_FILE} said otherwise when the library was loaded, and
 * standard output belongs to the application; so it is silent there.
 *
 * <p>UCX could call a handler of ours instead. It would do so from threads of its own, from inside functions that are called without a
 * change of the thread's state, and from its destructors when the JVM is gone, and any of these ends the process.
 */
final class UcxLog {
    private static final String FILE = "UCX_LOG_FILE";
    private static final String LEVEL = "UCX_LOG_LEVEL";
    /** Nothing is logged at this level: what is fatal goes to standard error, and the process ends. */
    private static final String SILENT = "fatal";
    /** Less than UCX's default, at which every start would warn that JUCX was made for a newer UCX. */
    private static final String ERRORS = "error";

    private UcxLog() {}

    /** Whether UCX writes to standard output, by the rule that it reads its variable by. */
    static boolean onStandardOutput(Map<String, String> environment) {
        String stream = environment.getOrDefault(FILE, "").split(":", 2)[0];
        return "stdout".startsWith(stream);
    }

    /** How much UCX may log. */
    static String level(Map<String, String> environment) {
        return onStandardOutput(environment) ? SILENT : environment.getOrDefault(LEVEL, ERRORS);
    }

    /** Silences UCX from now on where it would write to standard output: what it finds wrong with a setting comes before any context. */
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
