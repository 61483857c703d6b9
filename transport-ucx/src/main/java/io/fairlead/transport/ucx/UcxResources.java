package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The transports that a UCX context has opened, with their devices. UCX silently skips what it cannot open: a module
 * that is not installed, a missing provider library, a device that a container may not use. It has no call that returns
 * them, but prints them.
 */
final class UcxResources {
    private static final Pattern RESOURCE =
            Pattern.compile("(?m)^#\\s+resource \\d+\\s*:.* flags \\S* (\\S+)/(\\S+)\\s*$");

    private UcxResources() {}

    /**
     * A transport on a device.
     *
     * @param transport as in {@code UCX_TLS}: {@code rc_verbs}
     * @param device as in {@code UCX_NET_DEVICES}: {@code mlx5_0:1}
     */
    record Resource(String transport, String device) {
        /**
         * Whether a connection can begin on it. {@code rc} finds its peer by {@code ud}, so a port with only {@code rc}
         * connects nobody.
         */
        boolean findsPeers() {
            return transport.startsWith("ud") || transport.startsWith("dc") || transport.startsWith("srd");
        }
    }

    /**
     * Reads the resources of a context.
     *
     * @param context the UCX context
     * @return the opened resources; empty if they are unknown
     */
    static Optional<List<Resource>> of(long context) {
        // Every context has some. A release with another format must not disable RDMA.
        return printed(context).map(UcxResources::parse).filter(resources -> !resources.isEmpty());
    }

    /** Parses the output of {@code ucp_context_print_info}. */
    static List<Resource> parse(String text) {
        List<Resource> resources = new ArrayList<>();
        Matcher lines = RESOURCE.matcher(text);
        while (lines.find()) {
            resources.add(new Resource(lines.group(1), lines.group(2)));
        }
        return resources;
    }

    @SuppressWarnings("restricted")
    private static Optional<String> printed(long context) {
        Linker linker = Linker.nativeLinker();
        SymbolLookup libc = linker.defaultLookup();
        Optional<MemorySegment> print =
                SymbolLookup.libraryLookup(Ucp.LIBRARY, Arena.global()).find("ucp_context_print_info");
        Optional<MemorySegment> open = libc.find("open_memstream");
        Optional<MemorySegment> close = libc.find("fclose");
        Optional<MemorySegment> free = libc.find("free");
        if (print.isEmpty() || open.isEmpty() || close.isEmpty() || free.isEmpty()) {
            return Optional.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(ADDRESS);
            MemorySegment length = arena.allocate(JAVA_LONG);
            MemorySegment stream =
                    (MemorySegment) linker.downcallHandle(open.get(), FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS))
                            .invokeExact(text, length);
            if (stream.equals(MemorySegment.NULL)) {
                return Optional.empty();
            }
            linker.downcallHandle(print.get(), FunctionDescriptor.ofVoid(JAVA_LONG, ADDRESS))
                    .invokeExact(context, stream);
            int _ = (int) linker.downcallHandle(close.get(), FunctionDescriptor.of(JAVA_INT, ADDRESS))
                    .invokeExact(stream);
            MemorySegment bytes = text.get(ADDRESS, 0);
            if (bytes.equals(MemorySegment.NULL)) {
                return Optional.empty();
            }
            String printed = bytes.reinterpret(length.get(JAVA_LONG, 0) + 1).getString(0);
            linker.downcallHandle(free.get(), FunctionDescriptor.ofVoid(ADDRESS))
                    .invokeExact(bytes);
            return Optional.of(printed);
        } catch (Throwable impossible) {
            throw Ucp.unexpected(impossible);
        }
    }
}
