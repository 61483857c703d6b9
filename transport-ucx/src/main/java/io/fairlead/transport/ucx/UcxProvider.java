package io.fairlead.transport.ucx;

import io.fairlead.ConfigKey;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Descriptors;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.List;

/** Makes the UCX transport known under the name {@code ucx}. */
public final class UcxProvider implements TransportProvider {
    /** The transport's name. */
    static final String NAME = "ucx";

    /** UCX transports within a host, to which RDMA's are added where there is a port for them; {@code tcp} among them would listen on every interface without authentication. */
    static final ConfigKey<String> TLS = ConfigKey.of(
            "ucx.tls",
            String.class,
            "posix,sysv,cma,self",
            "",
            "names of UCX transports with commas; tcp is refused",
            "The UCX transports that may be used; left as it is, rc and ud are added on hosts with a usable RDMA port.",
            UcxProvider::parseTls);

    /** Which ports, where a host has several and not all are for this. */
    static final ConfigKey<String> DEVICES = ConfigKey.of(
            "ucx.devices",
            String.class,
            "all",
            "",
            "names of ports with commas, such as mlx5_0:1, or all",
            "The RDMA ports that may be used.",
            UcxProvider::parseDevices);

    /** UCX's own tcp; for networks of which every host is trusted with the process's memory. */
    static final ConfigKey<Boolean> TCP = ConfigKey.of(
            "ucx.tcp-without-authentication",
            Boolean.class,
            false,
            "",
            "true or false",
            "Lets UCX's own tcp transport run: every host that reaches this one can then write this process's memory.",
            UcxProvider::parseFlag);

    /** The way around UCX's queues; to compare, or to be rid of it. */
    static final ConfigKey<Boolean> RINGS = ConfigKey.of(
            "ucx.rings",
            Boolean.class,
            true,
            "",
            "true or false",
            "Whether messages within a host go through rings of Fairlead's own in shared memory; in UCX's queue, one process that is killed blocks all.",
            UcxProvider::parseFlag);

    /** What UCX needs to open a context or a worker, beside those that are kept in reserve. */
    static final int DESCRIPTORS_MIN = Descriptors.RESERVE + 8;

    private static final int MAJOR = 1;
    private static final int MINOR_MIN = 13;

    /** Creates the instance of the service loader. */
    public UcxProvider() {}

    private static boolean parseFlag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        };
    }

    private static String parseTls(String text) {
        if (!text.matches("[a-z0-9_]+(,[a-z0-9_]+)*")) {
            throw new IllegalArgumentException(
                    "ucx.tls=" + text + " is not a list of UCX transports: names with commas");
        }
        if (List.of(text.split(",", -1)).contains("tcp") || text.equals("all")) {
            throw new IllegalArgumentException("ucx.tls=" + text
                    + " would open UCX's unauthenticated tcp transport; leave tcp out, Fairlead has its own, or set"
                    + " ucx.tcp-without-authentication");
        }
        return text;
    }

    private static String parseDevices(String text) {
        if (!text.equals("all") && !text.matches("[A-Za-z0-9_.-]+:\\d+(,[A-Za-z0-9_.-]+:\\d+)*")) {
            throw new IllegalArgumentException(
                    "ucx.devices=" + text + " is neither all nor a list of ports: DEVICE:PORT with commas");
        }
        return text;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Availability availability() {
        if (!System.getProperty("os.name").equals("Linux")
                || !System.getProperty("os.arch").equals("amd64")) {
            return Availability.unavailable("JUCX has a native library for Linux on amd64 only: here "
                    + System.getProperty("os.name") + " on " + System.getProperty("os.arch"));
        }
        if (!"".equals(System.getenv("UCX_ERROR_SIGNALS")) && !"none".equals(System.getenv("UCX_HANDLE_ERRORS"))) {
            return Availability.unavailable(
                    "UCX would take the JVM's signals; start Java with UCX_ERROR_SIGNALS= (empty) in the"
                            + " environment, as the launcher does");
        }
        int free = Descriptors.free();
        if (free < DESCRIPTORS_MIN) {
            // UCX asserts where it gets none for its thread.
            return Availability.unavailable(Descriptors.shortage(free));
        }
        try {
            SymbolLookup.libraryLookup(Ucp.LIBRARY, Arena.global());
        } catch (IllegalArgumentException missing) {
            return Availability.unavailable(Ucp.LIBRARY + " was not found; install the package libucx0");
        } catch (IllegalCallerException denied) {
            return Availability.unavailable(
                    "native access is denied to the UCX transport; start Java with " + NativeAccess.option());
        }
        try {
            UcxLog.restrain(System.getenv());
            int[] version = Ucp.version();
            if (version[0] != MAJOR || version[1] < MINOR_MIN) {
                return Availability.unavailable("UCX is too old: version=" + version[0] + "." + version[1] + ", needed "
                        + MAJOR + "." + MINOR_MIN + " or newer");
            }
            if (!UcxVariables.accepted()) {
                return Availability.unavailable(
                        "UCX refuses the value of a UCX_ variable in the environment; start with"
                                + " UCX_LOG_FILE=stderr to read which");
            }
        } catch (UnsatisfiedLinkError | ExceptionInInitializerError | NoClassDefFoundError broken) {
            return Availability.unavailable("libucp cannot be used: " + rootCause(broken));
        }
        // Without room for its queues UCX fails at the first worker, and later ends the process at the first big
        // message.
        HostLimits limits = new HostLimits(UcxHost.here());
        Diagnosis memory = limits.sharedMemory();
        if (memory.level() == Diagnosis.Level.FAILURE) {
            return Availability.unavailable(memory.finding() + "; " + memory.remedy());
        }
        Diagnosis threads = limits.threads();
        if (threads.level() == Diagnosis.Level.FAILURE) {
            return Availability.unavailable(threads.finding() + "; " + threads.remedy());
        }
        return Availability.AVAILABLE;
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
        return List.of(TLS, DEVICES, RINGS, TCP);
    }

    @Override
    public List<Diagnosis> diagnose() {
        return new UcxDiagnosis(UcxHost.here()).run();
    }

    @Override
    public Transport open(TransportSetup setup) {
        return new UcxTransport(setup);
    }
}
