package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;

/** The environment variables that configure UCX. */
final class UcxVariables {
    private static final byte OK = 0;

    private UcxVariables() {}

    /**
     * Whether UCX accepts them. JUCX does not check that, and continues without a configuration, which ends the
     * process.
     */
    @SuppressWarnings("restricted")
    static boolean isAccepted() {
        SymbolLookup symbols = SymbolLookup.libraryLookup(Ucp.LIBRARY, Arena.global());
        Optional<MemorySegment> read = symbols.find("ucp_config_read");
        Optional<MemorySegment> release = symbols.find("ucp_config_release");
        if (read.isEmpty() || release.isEmpty()) {
            return true;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment config = arena.allocate(ADDRESS);
            byte status = (byte) Linker.nativeLinker()
                    .downcallHandle(read.get(), FunctionDescriptor.of(JAVA_BYTE, ADDRESS, ADDRESS, ADDRESS))
                    .invokeExact(MemorySegment.NULL, MemorySegment.NULL, config);
            if (status == OK) {
                Linker.nativeLinker()
                        .downcallHandle(release.get(), FunctionDescriptor.ofVoid(ADDRESS))
                        .invokeExact(config.get(ADDRESS, 0));
            }
            return status == OK;
        } catch (Throwable impossible) {
            throw new IllegalStateException("ucp_config_read threw, which it cannot", impossible);
        }
    }
}
