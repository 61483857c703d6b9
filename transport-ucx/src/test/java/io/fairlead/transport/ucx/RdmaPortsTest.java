package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.spi.host.HostFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which RDMA ports of made-up hosts are used, and what is said where none is. */
@Timeout(60)
final class RdmaPortsTest {
    private static final String GID = "0000:0000:0000:0000:0000:ffff:0a00:0001";
    private static final String EMPTY_GID = "fe80:0000:0000:0000:0000:0000:0000:0000";

    @TempDir
    private Path root;

    @Test
    void shouldSayThatThereIsNoDevice() {
        assertEquals("no RDMA device", host("all").cause());
        assertFalse(host("all").hasPort());
    }

    @Test
    void shouldUseAPortThatIsUpAndHasAGid() throws IOException {
        device("mlx5_0", "4: ACTIVE", "InfiniBand", GID);
        RdmaHost host = host("all");
        assertEquals("mlx5_0", host.devices());
        assertEquals("", host.cause());
        assertTrue(host.hasInfiniband());
        assertFalse(host.hasEthernet());
        assertFalse(host.software());
    }

    @Test
    void shouldKnowRoceInSoftwareByTheInterfaceThatItNames() throws IOException {
        device("anyname", "4: ACTIVE", "Ethernet", GID);
        write("/sys/class/infiniband/anyname/parent", "eth0\n");
        assertTrue(host("all").software());
        assertTrue(host("all").hasEthernet());
        assertFalse(host("another:1").software());
    }

    @Test
    void shouldNameTheStateOfAPortThatIsNotUp() throws IOException {
        device("rxe0", "1: DOWN", "Ethernet", GID);
        assertEquals("port rxe0:1 is DOWN", host("all").cause());
    }

    @Test
    void shouldNameThePortWithoutAGid() throws IOException {
        device("rxe0", "4: ACTIVE", "Ethernet", EMPTY_GID);
        assertEquals("port rxe0:1 has no GID", host("all").cause());
    }

    @Test
    void shouldRefuseIwarpAndTakeWhatIsBesideIt() throws IOException {
        write("/sys/class/infiniband/siw0/node_type", "4: RNIC\n");
        assertEquals("siw0 is iWARP, which UCX refuses", host("all").cause());
        device("rxe0", "4: ACTIVE", "Ethernet", GID);
        assertEquals("rxe0", host("all").devices());
        assertEquals("", host("all").cause());
    }

    @Test
    void shouldNameTheFileThatAContainerWasNotGiven() throws IOException {
        device("mlx5_0", "4: ACTIVE", "InfiniBand", GID);
        Files.delete(root.resolve("dev/infiniband/mlx5_0-verbs"));
        assertEquals(
                "mlx5_0 is not for this process: /dev/infiniband/mlx5_0-verbs is missing",
                host("all").cause());
    }

    @Test
    void shouldKeepToThePortsThatAreAllowed() throws IOException {
        device("rxe0", "4: ACTIVE", "Ethernet", GID);
        device("rxe1", "4: ACTIVE", "Ethernet", GID);
        assertEquals("rxe0,rxe1", host("all").devices());
        assertEquals("rxe1", host("rxe1:1").devices());
        assertEquals("rxe0,rxe1", host("rxe0:1,rxe1:1").devices());
        assertEquals(
                "port rxe0:1 is not among the allowed rxe2:1, port rxe1:1 is not among the allowed rxe2:1",
                host("rxe2:1").cause());
    }

    @Test
    void shouldFindTheGidBehindEmptyOnesAndCountAllForTheDiagnosis() throws IOException {
        device("rxe0", "4: ACTIVE", "Ethernet", EMPTY_GID);
        String gids = "/sys/class/infiniband/rxe0/ports/1/gids/";
        write(gids + "1", GID + "\n");
        write(gids + "2", GID + "\n");
        assertEquals("", host("all").cause());
        assertEquals(
                2,
                new RdmaPorts(new HostFiles(root))
                        .ports("rxe0")
                        .getFirst()
                        .gids()
                        .size());
    }

    @Test
    void shouldNoticeAPortThatGoesDownLater() throws IOException {
        device("rxe0", "4: ACTIVE", "Ethernet", GID);
        device("rxe1", "4: ACTIVE", "Ethernet", GID);
        RdmaHost opened = host("rxe0:1");
        RdmaPorts ports = new RdmaPorts(new HostFiles(root));
        write("/sys/class/infiniband/rxe1/ports/1/state", "1: DOWN\n");
        assertEquals(Optional.empty(), ports.down(opened.ports()));
        write("/sys/class/infiniband/rxe0/ports/1/state", "1: DOWN\n");
        assertEquals(Optional.of("port rxe0:1 is DOWN"), ports.down(opened.ports()));
        Files.delete(root.resolve("sys/class/infiniband/rxe0/ports/1/state"));
        assertEquals(Optional.of("port rxe0:1 is unknown"), ports.down(opened.ports()));
    }

    private RdmaHost host(String allowed) {
        return new RdmaPorts(new HostFiles(root)).host(allowed);
    }

    private void device(String name, String state, String linkLayer, String gid) throws IOException {
        write("/sys/class/infiniband/" + name + "/node_type", "1: CA\n");
        write("/sys/class/infiniband_verbs/" + name + "-verbs/ibdev", name + "\n");
        write("/dev/infiniband/" + name + "-verbs", "");
        String folder = "/sys/class/infiniband/" + name + "/ports/1";
        write(folder + "/state", state + "\n");
        write(folder + "/link_layer", linkLayer + "\n");
        write(folder + "/gids/0", gid + "\n");
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file.substring(1));
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
