package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The properties of the installed libucp that are available without a context.
 *
 * @param problem why it cannot be opened; empty if it can
 * @param major its version's first number
 * @param minor its version's second number
 * @param release its version's third number
 * @param missing the symbols of {@link UcxSymbols} that it lacks
 */
record UcxLibrary(String problem, int major, int minor, int release, Set<String> missing) {
    /** A library that cannot be opened. */
    static UcxLibrary unusable(String problem) {
        return new UcxLibrary(problem, 0, 0, 0, Set.of());
    }

    /**
     * Opens the library that the dynamic linker finds, for the life of the process, because UCX cannot be unloaded
     * safely.
     */
    @SuppressWarnings("restricted")
    static UcxLibrary open() {
        SymbolLookup symbols;
        try {
            symbols = SymbolLookup.libraryLookup(Ucp.LIBRARY, Arena.global());
        } catch (IllegalArgumentException notFound) {
            return unusable(Ucp.LIBRARY + " was not found");
        } catch (IllegalCallerException denied) {
            return unusable("native access is denied to the UCX transport");
        }
        Set<String> missing = new HashSet<>();
        Stream.concat(UcxSymbols.NEEDED.stream(), UcxSymbols.OPTIONAL.stream())
                .filter(name -> symbols.find(name).isEmpty())
                .forEach(missing::add);
        Optional<MemorySegment> getVersion = symbols.find("ucp_get_version");
        if (getVersion.isEmpty()) {
            return unusable(Ucp.LIBRARY + " has no ucp_get_version");
        }
        int[] version = version(getVersion.get());
        return new UcxLibrary("", version[0], version[1], version[2], missing);
    }

    @SuppressWarnings("restricted")
    private static int[] version(MemorySegment function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_INT, 3);
            Linker.nativeLinker()
                    .downcallHandle(function, FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS))
                    .invokeExact(numbers.asSlice(0, 4), numbers.asSlice(4, 4), numbers.asSlice(8, 4));
            return numbers.toArray(JAVA_INT);
        } catch (Throwable impossible) {
            throw new IllegalStateException("ucp_get_version threw, which it cannot", impossible);
        }
    }

    /** The version in UCX's format. */
    String version() {
        return major + "." + minor + "." + release;
    }
}
