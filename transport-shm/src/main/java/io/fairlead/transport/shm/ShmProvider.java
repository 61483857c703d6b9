package io.fairlead.transport.shm;

import io.fairlead.ConfigKey;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Descriptors;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.host.HostFiles;
import io.fairlead.spi.host.HostSecret;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;

/** Makes shared memory known under the name {@code shm}. */
public final class ShmProvider implements TransportProvider {
    /** The transport's name. */
    static final String NAME = "shm";

    /** The way around reading other processes; to compare, or where tracing is watched. */
    static final ConfigKey<Boolean> CMA = ConfigKey.of(
            "shm.cma",
            Boolean.class,
            true,
            "",
            "true or false",
            "Whether long messages are read out of the sender's memory with one copy, where the kernel allows it; else they go in parts.",
            ShmProvider::parseFlag);

    /** Yama's setting 1 keeps the right to read a process to its parents; this gives it to all processes of the user. */
    static final ConfigKey<Boolean> READERS = ConfigKey.of(
            "shm.readers",
            Boolean.class,
            false,
            "",
            "true or false",
            "Lets processes of this user read, and trace, this one under kernel.yama.ptrace_scope=1, which long messages are faster by.",
            ShmProvider::parseFlag);

    static final String REMEDY = "let the container's seccomp profile allow memfd_create, and mount /proc";

    /** Before all others of one host. */
    private static final int RANK = 10;

    /** Creates the instance of the service loader. */
    public ShmProvider() {}

    private static boolean parseFlag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        };
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int rank() {
        return RANK;
    }

    @Override
    public Availability availability() {
        String system = System.getProperty("os.name");
        String processor = System.getProperty("os.arch");
        if (!system.equals("Linux") || !(processor.equals("amd64") || processor.equals("aarch64"))) {
            return Availability.unavailable("shared memory is for Linux on x86-64 and aarch64: here " + system + " on "
                    + processor + "; there is TCP");
        }
        int free = Descriptors.free();
        if (free <= Descriptors.RESERVE) {
            return Availability.unavailable(Descriptors.shortage(free));
        }
        String problem = problem();
        return problem.isEmpty() ? Availability.AVAILABLE : Availability.unavailable(problem + "; " + REMEDY);
    }

    /** Why this process cannot share memory even with itself; empty if it can. */
    static String problem() {
        try (MemoryFile file = MemoryFile.create(Beacon.SIZE, Arena.ofConfined());
                MemoryFile _ = MemoryFile.open(file.key(), Beacon.SIZE)) {
            return "";
        } catch (IOException refused) {
            return "memory cannot be shared between processes: " + refused.getMessage();
        } catch (IllegalCallerException denied) {
            return "native access is denied to the shm transport; start Java with " + NativeAccess.option();
        } catch (UnsatisfiedLinkError | ExceptionInInitializerError | NoClassDefFoundError broken) {
            return "memory cannot be shared between processes: " + rootCause(broken);
        }
    }

    private static String rootCause(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }

    @Override
    public List<ConfigKey<?>> configKeys() {
        return List.of(CMA, READERS);
    }

    @Override
    public List<Diagnosis> diagnose() {
        return new ShmDiagnosis(
                        new HostFiles(Path.of("/")),
                        ShmProvider::problem,
                        () -> HostSecret.here().problem(),
                        ProcessRead::attempt)
                .run();
    }

    @Override
    public Transport open(TransportSetup setup) {
        return new ShmTransport(setup);
    }
}
