package io.fairlead.transport.ucx;

import io.fairlead.spi.host.HostFiles;
import java.util.List;
import java.util.Optional;

/**
 * The modules that UCX loads for network cards, in addition to its libraries. Some distributions package them
 * separately, or not at all.
 */
final class UcxModules {
    /** The folders of distributions: Debian and Ubuntu, then Fedora and others, then UCX's own packages. */
    private static final List<String> FOLDERS =
            List.of("/usr/lib/x86_64-linux-gnu/ucx", "/usr/lib64/ucx", "/usr/lib/ucx", "/usr/local/lib/ucx");

    private static final String INFINIBAND = "libuct_ib.so";

    private final HostFiles files;

    UcxModules(HostFiles files) {
        this.files = files;
    }

    /** The missing module for InfiniBand and RoCE, as text; empty if it is installed, or its folder is unknown. */
    Optional<String> missing() {
        List<String> folders = FOLDERS.stream()
                .filter(folder -> !files.names(folder).isEmpty())
                .toList();
        boolean found = folders.stream()
                .flatMap(folder -> files.names(folder).stream())
                .anyMatch(name -> name.startsWith(INFINIBAND));
        return folders.isEmpty() || found
                ? Optional.empty()
                : Optional.of("UCX's module " + INFINIBAND + ".0 for RDMA is not in " + folders.getFirst());
    }
}
