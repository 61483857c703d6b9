package io.fairlead.transport.ucx;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Descriptors;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.host.HostFiles;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.List;

/** Provides the UCX transport under the name {@code ucx}. */
public final class UcxProvider implements TransportProvider {
    /** The transport's name. */
    static final String NAME = "ucx";

    private static final int MAJOR = 1;
    private static final int MINOR_MIN = 13;

    /** For the service loader. */
    public UcxProvider() {}

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
        for (Diagnosis obstacle : new UcxLoading(UcxHost.here()).run()) {
            if (obstacle.level() == Diagnosis.Level.FAILURE) {
                return Availability.unavailable(obstacle.finding() + "; " + obstacle.remedy());
            }
        }
        int free = Descriptors.free();
        if (free < UcxKeys.DESCRIPTORS_MIN) {
            // UCX asserts if it gets no descriptor for its thread.
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
            if (version[1] < UcxLoading.MINOR_WITHOUT_SIGNALS && !UcxLoading.leavesSignals(System.getenv())) {
                UcxLoading.giveSignalsBack();
                return Availability.unavailable("an older UCX was loaded than the one that was found: version="
                        + version[0] + "." + version[1]
                        + "; start Java with UCX_ERROR_SIGNALS= (empty) in the environment, as the launcher does");
            }
            if (!UcxVariables.isAccepted()) {
                return Availability.unavailable(
                        "UCX refuses the value of a UCX_ variable in the environment; start with"
                                + " UCX_LOG_FILE=stderr to read which");
            }
        } catch (UnsatisfiedLinkError | ExceptionInInitializerError | NoClassDefFoundError broken) {
            return Availability.unavailable("libucp cannot be used: " + rootCause(broken));
        }
        // Without memory for its queues UCX fails at the first worker, and later ends the process at the first long
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

    /**
     * Without RDMA, UCX's shared memory is used only on request, and a loaded library stays until the process ends. So
     * UCX is then loaded only if the configuration names it.
     */
    @Override
    public Availability availability(FairleadConfig config) {
        if (isNamed(config)) {
            return availability();
        }
        RdmaHost rdma = new RdmaPorts(new HostFiles(Path.of("/"))).host(UcxKeys.devices(config));
        return rdma.hasPort()
                ? availability()
                : Availability.unavailable(rdma.cause() + "; for UCX's shared memory name ucx in "
                        + ConfigKeys.TRANSPORTS.name() + " or " + ConfigKeys.POLICY.name());
    }

    private static boolean isNamed(FairleadConfig config) {
        return !config.value(ConfigKeys.TRANSPORTS).isBlank()
                || config.value(ConfigKeys.POLICY).equals(PathPolicy.named(NAME));
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
        return UcxKeys.VALUES;
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
