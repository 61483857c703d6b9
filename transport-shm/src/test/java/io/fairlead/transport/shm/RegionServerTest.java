package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.spi.HmacKey;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.served.ServedMemory;
import io.fairlead.testkit.internal.RawHost;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A region's descriptor goes to who has its key and an open connection, and to nobody else. */
@Timeout(60)
final class RegionServerTest {
    private static final int SIZE = 4096;
    private static final RegionProof PROOF = new RegionProof(1, 2, 3);
    private static final HmacKey KEY = new HmacKey(SocketId.randomBytes(32), HmacKey.LENGTH_MAX);

    private final RegionServer server;
    private final RawHost host = new RawHost(3, 4, true);
    private MemoryFile file;
    private RegionKey region;
    private long connection;

    @BeforeEach
    void addRegion() throws IOException {
        file = MemoryFile.create(MappedMemory.size(SIZE), Arena.ofShared());
        region = server.add(file);
        connection = server.admit(KEY);
    }

    @AfterEach
    void close() {
        server.close();
        server.close();
        file.close();
    }

    RegionServerTest() throws IOException {
        server = new RegionServer(SocketPlace.NAMESPACE, new SharingRule(Libc.user(), false, false));
    }

    private RemoteMemory ask(HmacKey key, long number, byte[] bytes) {
        return new RegionClient(key, SocketPlace.NAMESPACE, server.id(), number).unpack(host, bytes, PROOF, SIZE);
    }

    private void assertMapped() {
        RemoteMemory mapped = ask(KEY, connection, region.bytes());
        assertInstanceOf(MappedMemory.class, mapped);
        mapped.close();
    }

    private void assertNotMapped(HmacKey key, long number, byte[] bytes) {
        assertInstanceOf(ServedMemory.class, ask(key, number, bytes));
    }

    @Test
    void shouldPassARegionToWhoHasItsKeyAndAConnection() throws IOException {
        assertMapped();
        HmacKey other = new HmacKey(SocketId.randomBytes(32), HmacKey.LENGTH_MAX);
        assertNotMapped(other, connection, region.bytes());
        assertNotMapped(KEY, connection + 1, region.bytes());
        byte[] guessed = new RegionKey(region.number(), new byte[RegionKey.SECRET_LENGTH]).bytes();
        assertNotMapped(KEY, connection, guessed);
        try (MemoryFile another = MemoryFile.create(MappedMemory.size(SIZE), Arena.ofShared())) {
            RegionKey second = server.add(another);
            byte[] crossed = new RegionKey(second.number(), region.secret()).bytes();
            assertNotMapped(KEY, connection, crossed);
            server.remove(second);
            assertNotMapped(KEY, connection, second.bytes());
        }
        server.refuse(connection);
        assertNotMapped(KEY, connection, region.bytes());
        byte[] cut = Arrays.copyOf(region.bytes(), 5);
        assertThrows(FairleadException.class, () -> ask(KEY, connection, cut));
    }

    @Test
    void shouldAnswerWhateverStrangersDo() throws IOException {
        List<LocalSocket> strangers = new ArrayList<>();
        try {
            for (int i = 0; i < 4 * RegionServer.CLIENTS_MAX; i++) {
                LocalSocket stranger = SocketPlace.NAMESPACE.connect(server.id());
                strangers.add(stranger);
                switch (i % 4) {
                    case 0 -> stranger.send(new byte[1], file.descriptor());
                    case 1 -> stranger.send(new byte[RegionKey.REQUEST_LENGTH]);
                    case 2 -> stranger.send(new byte[2 * RegionKey.REQUEST_LENGTH]);
                    default -> {}
                }
            }
            assertMapped();
        } finally {
            strangers.forEach(LocalSocket::close);
        }
        assertMapped();
    }

    /** The name is free once the server is closed, and listed before: whoever takes it has no key to answer with. */
    @Test
    void shouldNotBelieveAnImpostorNorAskATwiceSilentOne() throws IOException {
        SocketId taken = SocketId.random();
        try (SocketPlace.Listening impostor = SocketPlace.NAMESPACE.listen(taken, 4)) {
            RegionClient client = new RegionClient(KEY, SocketPlace.NAMESPACE, taken, connection);
            assertInstanceOf(ServedMemory.class, client.unpack(host, region.bytes(), PROOF, SIZE));
            LocalSocket asked = impostor.socket().accept();
            assertTrue(asked != null);
            asked.close();
            assertInstanceOf(ServedMemory.class, client.unpack(host, region.bytes(), PROOF, SIZE));
            assertFalse(impostor.socket().await(0), "a silent peer is asked again");
        }
    }

    /** Its name is told with the first connection, long before the first region. */
    @Test
    void shouldLeaveItsNameToNobodyBeforeTheFirstRegion() throws IOException {
        try (RegionServer fresh = new RegionServer(SocketPlace.NAMESPACE, new SharingRule(Libc.user(), false, false))) {
            assertThrows(IOException.class, () -> SocketPlace.NAMESPACE.listen(fresh.id(), 1));
            RegionKey key = fresh.add(file);
            RemoteMemory mapped = new RegionClient(KEY, SocketPlace.NAMESPACE, fresh.id(), fresh.admit(KEY))
                    .unpack(host, key.bytes(), PROOF, SIZE);
            assertInstanceOf(MappedMemory.class, mapped);
            mapped.close();
        }
    }

    @Test
    void shouldRefuseWhatIsClosed() {
        server.close();
        assertNotMapped(KEY, connection, region.bytes());
        assertThrows(IOException.class, () -> server.add(file));
        assertDoesNotThrow(() -> server.remove(region));
    }
}
