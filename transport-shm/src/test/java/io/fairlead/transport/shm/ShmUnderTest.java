package io.fairlead.transport.shm;

import io.fairlead.Capability;
import io.fairlead.FairleadConfig;
import io.fairlead.PathClass;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.contract.TransportUnderTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** What the suites have to know about the transport over shared memory. They run once with the reading of other processes, and once without. */
final class ShmUnderTest implements TransportUnderTest {
    private static final boolean CMA = Boolean.parseBoolean(System.getProperty("fairlead.test.shm.cma", "true"));
    /** Independent of the host's processors. Without cma there is no such copy, so that each of both ways has its run. */
    private static final String ONE_COPY = "always";

    private static final Path SOCKETS = newFolder();

    private final TransportProvider provider = new ShmProvider();

    @Override
    public TransportProvider provider() {
        return provider;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public PathClass pathClass() {
        return PathClass.SHARED_MEMORY;
    }

    /** Cases with another host have it in another network namespace, which sees the same files. */
    @Override
    public FairleadConfig configure(FairleadConfig base) {
        return base.with(ShmKeys.CMA, CMA)
                .with(ShmKeys.ONE_COPY, ONE_COPY)
                .with(ShmKeys.SOCKET_DIR, SOCKETS.toString());
    }

    private static Path newFolder() {
        try {
            Path folder = Files.createTempDirectory("fairlead-shm");
            // Peers may have another user.
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
            folder.toFile().deleteOnExit();
            return folder;
        } catch (IOException refused) {
            throw new UncheckedIOException("no folder for sockets can be made", refused);
        }
    }

    @Override
    public boolean leavesLanes() {
        return true;
    }

    @Override
    public int endpointPartsMax() {
        return 20;
    }
}
