package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.NativeLibs;

/**
 * JUCX's native library. JUCX unpacks it into a new folder below {@code java.io.tmpdir}, which hardened containers
 * mount read-only or without execution, and leaves it there when the process is killed. This class loads it from an
 * unnamed file in memory instead, which is freed with the process. JUCX unpacks it only if the kernel refuses that.
 */
final class JucxLibrary {
    /** The remedy if it cannot be loaded. */
    static final String REMEDY =
            "allow memfd_create, or name a folder in java.io.tmpdir that can be written and executed from";

    private static final String RESOURCE = "libjucx_amd64.so";
    private static final String ARCHITECTURE = "os.arch";
    /** The other name of this architecture, for which JUCX has no library. */
    private static final String OTHER_NAME = "x86_64";

    private static final int CLOSE_ON_EXEC = 1;

    private static @Nullable String problem;

    private JucxLibrary() {}

    /** Loads a library into this process. */
    @FunctionalInterface
    interface Loading {
        void load() throws IOException;
    }

    /**
     * Loads the library, on the first call only.
     *
     * @return why it cannot be loaded; empty if it is loaded
     */
    static String load() {
        return load(JucxLibrary::loadFromMemory);
    }

    static synchronized String load(Loading fromMemory) {
        if (problem == null) {
            problem = tryToLoad(fromMemory);
        }
        return problem;
    }

    private static String tryToLoad(Loading fromMemory) {
        String refusal;
        // A library belongs to the class loader of the class that loads it.
        if (Objects.equals(NativeLibs.class.getClassLoader(), JucxLibrary.class.getClassLoader())) {
            try {
                fromMemory.load();
                adopt();
                return "";
            } catch (IOException | LinkageError | RuntimeException refused) {
                refusal = refused.toString();
            }
        } else {
            refusal = "JUCX has a class loader of its own";
        }
        try {
            NativeLibs.load();
            return "";
        } catch (LinkageError | RuntimeException failure) {
            return "JUCX's native library cannot be loaded: from memory: " + refusal + "; from java.io.tmpdir="
                    + System.getProperty("java.io.tmpdir") + ": " + failure.getMessage();
        }
    }

    @SuppressWarnings("restricted")
    private static void loadFromMemory() throws IOException {
        byte[] library = read();
        // The descriptor stays open: the dynamic linker knows the library by its name, which another file must not get.
        Path file = Path.of("/proc/self/fd/" + createFile());
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.WRITE)) {
            out.write(library);
        }
        System.load(file.toString());
    }

    private static byte[] read() throws IOException {
        ClassLoader loader = NativeLibs.class.getClassLoader();
        try (InputStream in = loader.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IOException("no " + RESOURCE + " beside JUCX's classes");
            }
            return in.readAllBytes();
        }
    }

    @SuppressWarnings("restricted")
    private static int createFile() throws IOException {
        Linker linker = Linker.nativeLinker();
        MemorySegment function = linker.defaultLookup()
                .find("memfd_create")
                .orElseThrow(() -> new IOException("the C library has no memfd_create"));
        int descriptor;
        try (Arena arena = Arena.ofConfined()) {
            descriptor = (int) linker.downcallHandle(function, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT))
                    .invokeExact(arena.allocateFrom(RESOURCE), CLOSE_ON_EXEC);
        } catch (Throwable impossible) {
            throw new IllegalStateException("memfd_create threw, which it cannot", impossible);
        }
        if (descriptor < 0) {
            throw new IOException("the kernel refuses memfd_create");
        }
        return descriptor;
    }

    /**
     * Lets JUCX initialize itself without unpacking: it continues without its own library if it has none for the
     * architecture's name. Concurrent readers of that name get a synonym.
     */
    private static void adopt() {
        String name = System.getProperty(ARCHITECTURE);
        System.setProperty(ARCHITECTURE, OTHER_NAME);
        try {
            NativeLibs.load();
        } finally {
            System.setProperty(ARCHITECTURE, name);
        }
    }
}
