package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.host.HostFiles;
import io.fairlead.transport.ucx.UcxResources.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What UCX has opened, as it says itself. */
@Timeout(60)
final class UcxResourcesTest {
    private static final RdmaPort PORT = new RdmaPort(
            "mlx5_0", "1", "ACTIVE", "LinkUp", "InfiniBand", "100 Gb/sec", List.of(new RdmaPort.Gid("IB", "")));

    @TempDir
    private Path root;

    @BeforeEach
    void requireUcx() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().cause());
    }

    @Test
    void shouldReadWhatUcxPrints() {
        String printed = """
                #
                # UCP context
                #
                #     component 4  :  ib
                #            md 1  :  component 4  mlx5_0
                #
                #      resource 0  :  md 0  dev 0  flags -- self/memory0
                #      resource 4  :  md 4  dev 2  flags -- rc_verbs/mlx5_0:1
                #      resource 12 :  md 4  dev 2  flags a- ud_verbs/mlx5_0:1
                #
                # memory: 1.47MB, file descriptors: 5
                """;
        assertEquals(
                List.of(
                        new Resource("self", "memory0"),
                        new Resource("rc_verbs", "mlx5_0:1"),
                        new Resource("ud_verbs", "mlx5_0:1")),
                UcxResources.parse(printed));
    }

    @Test
    void shouldAskUcx() {
        UcxContext context = new UcxContext(new TransportSetup(FairleadConfig.defaults(), 1));
        try {
            List<Resource> resources =
                    UcxResources.of(context.ucp().getNativeId()).orElseThrow();
            assertTrue(resources.contains(new Resource("posix", "memory")), resources::toString);
        } finally {
            context.close();
        }
    }

    @Test
    void shouldUseNoPortThatUcxHasNotOpenedWithUd() {
        RdmaHost host = new RdmaHost(List.of(PORT), false, "");
        Resource rc = new Resource("rc_verbs", "mlx5_0:1");
        assertFalse(host.openedBy(List.of(new Resource("posix", "memory"))).hasPort());
        assertFalse(host.openedBy(List.of(rc)).hasPort());
        assertFalse(
                host.openedBy(List.of(rc, new Resource("ud_verbs", "mlx5_1:1"))).hasPort());
        assertTrue(
                host.openedBy(List.of(rc, new Resource("ud_verbs", "mlx5_0:1"))).hasPort());
    }

    /** As where UCX is packed without its module for InfiniBand, or its provider library is missing. */
    @Test
    void shouldDoWithoutAPortThatTheKernelShowsAndUcxDoesNot() throws IOException {
        write("/sys/class/infiniband/mlx5_9/node_type", "1: CA\n");
        write("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_9\n");
        write("/dev/infiniband/uverbs0", "");
        write("/sys/class/infiniband/mlx5_9/ports/1/state", "4: ACTIVE\n");
        write("/sys/class/infiniband/mlx5_9/ports/1/link_layer", "InfiniBand\n");
        write("/sys/class/infiniband/mlx5_9/ports/1/gids/0", "fe80:0000:0000:0000:0002:c903:0000:0001\n");
        write("/usr/lib/x86_64-linux-gnu/ucx/libuct_cma.so.0", "");
        for (String tls : List.of(UcxKeys.TLS.defaultValue(), "rc,ud,posix")) {
            UcxContext context = new UcxContext(
                    new TransportSetup(FairleadConfig.defaults().with(UcxKeys.TLS, tls), 1), new HostFiles(root));
            try {
                assertFalse(context.lanes().rdma(), tls);
                assertTrue(context.rdma().startsWith("mlx5_9 cannot be used by UCX: "), context::rdma);
                assertTrue(context.rdma().contains("libuct_ib.so.0"), context::rdma);
            } finally {
                context.close();
            }
        }
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file.substring(1));
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
