package io.fairlead.internal.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketTableTest {
    private static final String TITLE =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    @TempDir
    Path folder;

    @Test
    void shouldWriteAddressesAsTheKernelDoes() {
        assertEquals("0100007F", SocketTable.words(new byte[] {127, 0, 0, 1}, ByteOrder.LITTLE_ENDIAN));
        assertEquals("7F000001", SocketTable.words(new byte[] {127, 0, 0, 1}, ByteOrder.BIG_ENDIAN));
    }

    @ParameterizedTest
    @CsvSource({
        "00000000, 0, ANSWERS",
        "00000001, 0, AWAITED",
        "00000002, 0, NONE",
        "00000010, 0, NONE",
        "00000000, 1, AWAITED",
        "00000000, 2, NONE",
    })
    void shouldTellWhetherTheHostAnswers(String retransmissions, int probes, HostAnswer expected) throws IOException {
        String key = key("127.0.0.1", "127.0.0.2");
        write("tcp", line(7, key, retransmissions, probes));
        assertEquals(Map.of(key, expected), new SocketTable(folder).read(Set.of(key)));
    }

    @Test
    void shouldFindAnIPv4AddressInAnIPv6Socket() throws IOException {
        String key = key("10.0.0.1", "10.0.0.2");
        String mapped = SocketTable.words(
                new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xFF, (byte) 0xFF}, ByteOrder.nativeOrder());
        String[] ends = key.split(" ", -1);
        write("tcp6", line(12345, mapped + ends[0] + " " + mapped + ends[1], "00000000", 0));
        assertEquals(Map.of(key, HostAnswer.ANSWERS), new SocketTable(folder).read(Set.of(key)));
    }

    @Test
    void shouldTellNothingOfConnectionsThatAreNotThere() throws IOException {
        write("tcp", line(0, key("127.0.0.1", "127.0.0.2"), "00000000", 0));
        assertEquals(Map.of(), new SocketTable(folder).read(Set.of(key("127.0.0.2", "127.0.0.1"))));
    }

    @Test
    void shouldFailWithoutATable() {
        assertThrows(IOException.class, () -> new SocketTable(folder).read(Set.of("any")));
    }

    @Test
    void shouldFailOnATableOfAnotherForm() throws IOException {
        String key = key("127.0.0.1", "127.0.0.2");
        write("tcp", "   0: " + key + " ESTABLISHED\n");
        assertThrows(IOException.class, () -> new SocketTable(folder).read(Set.of(key)));
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1", "::1"})
    void shouldFindItsOwnConnections(String host) throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/self/net/tcp")), "no Linux");
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                SocketChannel connection = connect(listener, host);
                SocketChannel accepted = listener.accept()) {
            String near = key(connection);
            String far = key(accepted);
            Map<String, HostAnswer> found = SocketTable.ofSystem().read(Set.of(near, far));
            assertEquals(Map.of(near, HostAnswer.ANSWERS, far, HostAnswer.ANSWERS), found);
        }
    }

    private static SocketChannel connect(ServerSocketChannel listener, String host) throws IOException {
        try {
            listener.bind(new InetSocketAddress(InetAddress.getByName(host), 0));
        } catch (IOException lacking) {
            assumeTrue(false, "no address " + host + ": " + lacking);
        }
        return SocketChannel.open(listener.getLocalAddress());
    }

    private static String key(SocketChannel connection) throws IOException {
        return SocketTable.key(
                (InetSocketAddress) connection.getLocalAddress(), (InetSocketAddress) connection.getRemoteAddress());
    }

    private static String key(String local, String remote) {
        return SocketTable.key(new InetSocketAddress(local, 4711), new InetSocketAddress(remote, 65535));
    }

    private static String line(int slot, String key, String retransmissions, int probes) {
        return " " + slot + ": " + key + " 01 00000009:00000000 01:00000014 " + retransmissions + "     0        "
                + probes + " 14923 2 0000000000000000 20 4 30 10 -1\n";
    }

    private void write(String name, String line) throws IOException {
        Files.writeString(folder.resolve(name), TITLE + line);
    }
}
