package io.fairlead.transport.shm;

import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Descriptors;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.host.HostFiles;
import java.nio.file.Path;
import java.util.List;

/** Provides shared memory under the name {@code shm}. */
public final class ShmProvider implements TransportProvider {
    /** The transport's name. */
    static final String NAME = "shm";

    /** Preferred to all others of one host. */
    private static final int RANK = 10;

    /** For the service loader. */
    public ShmProvider() {}

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
        String problem = SharedMemory.problem();
        return problem.isEmpty() ? Availability.AVAILABLE : Availability.unavailable(problem);
    }

    @Override
    public List<ConfigKey<?>> configKeys() {
        return List.of(ShmKeys.CMA, ShmKeys.READERS, ShmKeys.ONE_COPY, ShmKeys.SOCKET_DIR);
    }

    @Override
    public List<Diagnosis> diagnose() {
        return new ShmDiagnosis(new HostFiles(Path.of("/")), SharedMemory::problem, ProcessRead::attempt).run();
    }

    @Override
    public Transport open(TransportSetup setup) {
        return new ShmTransport(setup);
    }
}
