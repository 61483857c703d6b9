package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The lanes of a UCX endpoint, by {@code ucp_ep_query}: UCX reports them from 1.14 on. */
final class UcpLanes {
    private static final MethodHandle QUERY =
            Ucp.call("ucp_ep_query", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, ADDRESS));

    /** {@code ucp_ep_attr_t}; longer than the structure of any version. */
    private static final long ATTRIBUTES_LENGTH = 512;

    private static final long FIELD_TRANSPORTS = 1 << 3;
    private static final long AT_ENTRIES = 296;
    private static final long AT_COUNT = 304;
    private static final long AT_ENTRY_SIZE = 312;

    /** An entry is the name of a transport and that of a device. */
    private static final long ENTRY_SIZE = 16;

    private static final long AT_DEVICE = 8;
    private static final int ENTRIES_MAX = 64;
    private static final long NAME_MAX = 256;

    /** UCX's device name for lanes within the host. */
    private static final String MEMORY = "memory";

    /** Whether this UCX reports lanes; constant for the process. */
    private static final boolean REPORTED = isFrom(Ucp.version(), 1, 14);

    private UcpLanes() {}

    /** The transports, each with its device if that is not memory; empty if UCX does not report them. */
    static List<String> of(long endpoint) {
        if (!REPORTED) {
            return List.of();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment entries = arena.allocate(ENTRIES_MAX * ENTRY_SIZE, Long.BYTES);
            MemorySegment attributes = arena.allocate(ATTRIBUTES_LENGTH, Long.BYTES);
            attributes.set(JAVA_LONG, 0, FIELD_TRANSPORTS);
            attributes.set(ADDRESS, AT_ENTRIES, entries);
            attributes.set(JAVA_INT, AT_COUNT, ENTRIES_MAX);
            attributes.set(JAVA_LONG, AT_ENTRY_SIZE, ENTRY_SIZE);
            byte status = (byte) QUERY.invokeExact(endpoint, attributes);
            return status == Ucp.OK ? names(entries, attributes.get(JAVA_INT, AT_COUNT)) : List.of();
        } catch (Throwable impossible) {
            throw Ucp.unexpected(impossible);
        }
    }

    /** Whether this UCX reports lanes. */
    static boolean isKnown() {
        return REPORTED;
    }

    private static boolean isFrom(int[] version, int major, int minor) {
        return version[0] > major || (version[0] == major && version[1] >= minor);
    }

    private static List<String> names(MemorySegment entries, int count) {
        Set<String> names = new LinkedHashSet<>();
        for (int i = 0; i < Math.min(count, ENTRIES_MAX); i++) {
            String transport = text(entries, i * ENTRY_SIZE);
            String device = text(entries, i * ENTRY_SIZE + AT_DEVICE);
            names.add(device.equals(MEMORY) ? transport : transport + "/" + device);
        }
        return List.copyOf(names);
    }

    private static String text(MemorySegment entries, long at) {
        MemorySegment text = entries.get(ADDRESS, at);
        return text.equals(MemorySegment.NULL)
                ? "?"
                : text.reinterpret(NAME_MAX).getString(0);
    }
}
