package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.testkit.contract.Resources;
import io.fairlead.testkit.internal.RawHost;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Packets with rings, addresses of workers and keys of regions that are forged, cut off, or of another connection. */
final class HostilePacketTest extends HostilePeerCases {
    private static final SharingRule OWN_USER = new SharingRule(Libc.user(), false, false);
    private static final int VICTIM_ID = 3;
    private static final RegionProof PROOF = new RegionProof(REGION, 1, 2);

    @Test
    void shouldBelieveThePacketOfThisConnectionAlone() {
        RingSeal mine = seal(victimHost);
        RingSeal peers = seal(hostileHost);
        byte[] genuine = peers.packet(new byte[WorkerAddress.TOKEN_LENGTH]);
        assertTrue(mine.isOfPeer(genuine));
        // Behind the token and the endpoint, which only find the receiver.
        for (int i = WorkerAddress.TOKEN_LENGTH + Integer.BYTES; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= 1;
            assertFalse(mine.isOfPeer(forged), "changed at " + i);
        }
        for (int length = 0; length < genuine.length; length++) {
            assertFalse(mine.isOfPeer(Arrays.copyOf(genuine, length)), "cut to " + length);
        }
        assertFalse(mine.isOfPeer(mine.packet(new byte[WorkerAddress.TOKEN_LENGTH])), "sent back");
        assertFalse(seal(new RawHost(10, 4, false)).isOfPeer(genuine), "of another endpoint");
        // The numbers are the same, but the connection's secret is another.
        assertFalse(seal(new RawHost(3, 4, false, 1)).isOfPeer(genuine), "of an earlier connection");
    }

    /** Every process of the network namespace can list the sockets, connect to them and send what it likes. */
    @Test
    void shouldPassRingsWhateverStrangersSend() throws IOException {
        WorkerAddress to = Objects.requireNonNull(WorkerAddress.decode(hostile.address()));
        List<LocalSocket> strangers = new ArrayList<>();
        try (MemoryFile file = MemoryFile.create(RingSlots.SLAB_SIZE, Arena.ofConfined())) {
            byte[] forged = seal(new RawHost(50, 51, false, 7)).packet(to.token());
            for (int i = 0; i < 3 * RingListener.PENDING_MAX; i++) {
                LocalSocket stranger = SocketPlace.NAMESPACE.connect(to.socket());
                strangers.add(stranger);
                switch (i % 4) {
                    case 0 -> stranger.send(new byte[RingSeal.PACKET_LENGTH], file.descriptor());
                    case 1 -> stranger.send(new byte[1000]);
                    case 2 -> stranger.send(forged, file.descriptor());
                    default -> {}
                }
            }
            RawHost laterHost = new RawHost(50, 51, false, 1);
            RawHost laterPeer = new RawHost(51, 50, true, 1);
            ShmEndpoint later = (ShmEndpoint) victim.connect(laterHost, hostile.address(), connection);
            ShmEndpoint other = (ShmEndpoint) hostile.connect(laterPeer, victim.address(), connection);
            other.wireUp(later.wireUpData());
            later.wireUp(other.wireUpData());
            other.close();
            later.close();
        } finally {
            strangers.forEach(LocalSocket::close);
        }
        assertLives();
    }

    /** Without keys a peer of another user may have named the socket of a process of this user, and sends its own ring. */
    @Test
    void shouldTakeNoRingOfAnotherUser() throws IOException {
        for (SharingRule rule : List.of(OWN_USER, new SharingRule(Libc.user() + 1, false, false))) {
            try (RingListener listener = new RingListener(SocketPlace.NAMESPACE, rule);
                    MemoryFile file = MemoryFile.create(RingSlots.SLAB_SIZE, Arena.ofConfined());
                    LocalSocket peer = SocketPlace.NAMESPACE.connect(listener.id())) {
                peer.send(seal(hostileHost).packet(listener.token()), file.descriptor());
                PassedRing ring = listener.await(VICTIM_ID, seal(victimHost));
                assertEquals(rule.equals(OWN_USER), isPassed(listener, ring));
            }
        }
    }

    /** Whether an endpoint's ring was passed to it. */
    static boolean isPassed(RingListener listener, PassedRing ring) throws IOException {
        long slab = listener.take(ring);
        if (slab != 0) {
            MemoryFile.unmapOther(slab, RingSlots.SLAB_SIZE);
        }
        return slab != 0;
    }

    /** Rings of many endpoints that wait to be taken hold no descriptors. */
    @Test
    void shouldKeepNoDescriptorOfARingThatIsExpected() throws IOException {
        int count = RingListener.PENDING_MAX / 2;
        try (RingListener listener = new RingListener(SocketPlace.NAMESPACE, OWN_USER);
                MemoryFile file = MemoryFile.create(RingSlots.SLAB_SIZE, Arena.ofConfined())) {
            List<PassedRing> rings = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                RawHost peer = new RawHost(i, 1000 + i, true, 1);
                if (i % 2 == 0) {
                    rings.add(listener.await(1000 + i, seal(new RawHost(1000 + i, i, false, 1))));
                }
                try (LocalSocket socket = SocketPlace.NAMESPACE.connect(listener.id())) {
                    socket.send(seal(peer).packet(listener.token()), file.descriptor());
                }
            }
            int before = Resources.now().descriptors().size();
            listener.accept();
            for (int i = 1; i < count; i += 2) {
                rings.add(listener.await(1000 + i, seal(new RawHost(1000 + i, i, false, 1))));
            }
            assertEquals(before, Resources.now().descriptors().size());
            for (PassedRing ring : rings) {
                assertTrue(isPassed(listener, ring));
            }
        }
    }

    /** Connections that say nothing take no place of a ring, however many are behind it. */
    @Test
    void shouldKeepARingBeforeSilentStrangers() throws IOException {
        List<LocalSocket> strangers = new ArrayList<>();
        try (RingListener listener = new RingListener(SocketPlace.NAMESPACE, OWN_USER);
                MemoryFile file = MemoryFile.create(RingSlots.SLAB_SIZE, Arena.ofConfined());
                LocalSocket peer = SocketPlace.NAMESPACE.connect(listener.id())) {
            peer.send(seal(hostileHost).packet(listener.token()), file.descriptor());
            for (int i = 0; i < 2 * RingListener.PENDING_MAX; i++) {
                strangers.add(SocketPlace.NAMESPACE.connect(listener.id()));
            }
            assertTrue(isPassed(listener, listener.await(VICTIM_ID, seal(victimHost))));
        } finally {
            strangers.forEach(LocalSocket::close);
        }
    }

    /** The sender has the token, and its connection came to nothing. */
    @Test
    void shouldDropARingThatNobodyAsksFor() throws IOException {
        AtomicLong nowNs = new AtomicLong();
        try (RingListener listener = new RingListener(SocketPlace.NAMESPACE, OWN_USER, nowNs::get);
                MemoryFile file = MemoryFile.create(RingSlots.SLAB_SIZE, Arena.ofConfined())) {
            for (int i = 0; i < 2; i++) {
                try (LocalSocket peer = SocketPlace.NAMESPACE.connect(listener.id())) {
                    peer.send(seal(hostileHost).packet(listener.token()), file.descriptor());
                }
                listener.expire();
                nowNs.addAndGet(TimeUnit.SECONDS.toNanos(59));
            }
            listener.expire();
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1) - 1);
            listener.expire();
            assertTrue(isPassed(listener, listener.await(VICTIM_ID, seal(victimHost))), "the second one");
            assertFalse(
                    isPassed(listener, listener.await(VICTIM_ID, seal(victimHost))), "the first one is still there");
        }
    }

    /** A peer of the connection seals what it likes, but what is no ring is not mapped. */
    @Test
    void shouldNotMapWhatIsNoRing() throws IOException {
        WorkerAddress to = Objects.requireNonNull(WorkerAddress.decode(victim.address()));
        try (MemoryFile small = MemoryFile.create(8, Arena.ofConfined());
                MemoryFile forReaders = MemoryFile.createForReaders(RingSlots.SLAB_SIZE, Arena.ofConfined());
                RandomAccessFile plain = new RandomAccessFile("/proc/self/status", "r")) {
            int status = Integer.parseInt(descriptorOf(plain));
            int number = 60;
            for (int[] files : new int[][] {{small.descriptor()}, {forReaders.descriptor()}, {status}, {}}) {
                RawHost host = new RawHost(number, 61, false, 1);
                RawHost peer = new RawHost(61, number++, true, 1);
                ShmEndpoint made = (ShmEndpoint) victim.connect(host, hostile.address(), connection);
                try (LocalSocket socket = SocketPlace.NAMESPACE.connect(to.socket())) {
                    socket.send(seal(peer).packet(to.token()), files);
                }
                made.wireUp(made.wireUpData());
                made.begin();
                FairleadException failure = Objects.requireNonNull(host.failure, "files " + Arrays.toString(files));
                assertEquals(Reason.TRANSPORT, failure.reason());
                assertTrue(
                        String.valueOf(failure.getMessage()).contains("the peer's ring cannot be mapped"),
                        failure::getMessage);
                made.close();
            }
        }
        assertLives();
    }

    private static RingSeal seal(RawHost host) {
        return new RingSeal(host, RingSeal.key(host));
    }

    private static String descriptorOf(RandomAccessFile file) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(link -> isStatus(link))
                    .map(link -> link.getFileName().toString())
                    .findFirst()
                    .orElseThrow(() -> new IOException("no descriptor of " + file));
        }
    }

    private static boolean isStatus(Path link) {
        try {
            return Files.readSymbolicLink(link).endsWith("status");
        } catch (IOException closed) {
            return false;
        }
    }

    @Test
    void shouldRefuseForgedAddresses() {
        byte[] genuine = hostile.address();
        // A wrong probe cannot be read, and a wrong token finds nobody; the socket and the host are behind them.
        for (int i = 2 * Long.BYTES + WorkerAddress.TOKEN_LENGTH; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= 1;
            assertThrows(
                    FairleadException.class,
                    () -> victim.connect(new RawHost(9, 9, false), forged, connection),
                    "changed at " + i);
            assertNull(transport
                    .reach(victim.address(), transport.version(), forged)
                    .pathClass());
        }
        for (int length = 0; length < genuine.length; length++) {
            byte[] cut = Arrays.copyOf(genuine, length);
            assertThrows(FairleadException.class, () -> victim.connect(new RawHost(9, 9, true), cut, connection));
            assertNull(
                    transport.reach(victim.address(), transport.version(), cut).pathClass());
        }
        assertNotNull(
                transport.reach(victim.address(), transport.version(), genuine).pathClass());
        assertEquals(
                "shm versions differ: here " + transport.version() + ", peer 1.99",
                transport.reach(victim.address(), "1.99", genuine).reason());
    }

    @Test
    void shouldSayThatNobodyAnswersForAnEndedProcess() throws IOException {
        try (ReachProbe probe = new ReachProbe()) {
            RingListener ended = new RingListener(SocketPlace.NAMESPACE, OWN_USER);
            byte[] address = WorkerAddress.encode(probe, ended.token(), ended.id(), false);
            ended.close();
            assertEquals(
                    "the connector's socket does not answer: connect: errno=111, they may be in different network"
                            + " namespaces; set shm.socket-dir at both to a folder that both have",
                    transport
                            .reach(victim.address(), transport.version(), address)
                            .reason());
            FairleadException refused = assertThrows(
                    FairleadException.class, () -> victim.connect(new RawHost(9, 9, false), address, connection));
            assertEquals(Reason.TRANSPORT, refused.reason());
        }
    }

    @Test
    void shouldGiveUpAConnectionWhoseListenerHasPassedNoRing() {
        ShmEndpoint made = (ShmEndpoint) hostile.connect(new RawHost(9, 9, true), victim.address(), connection);
        FairleadException refused = assertThrows(FairleadException.class, () -> made.wireUp(made.wireUpData()));
        assertEquals(Reason.TRANSPORT, refused.reason());
        assertTrue(String.valueOf(refused.getMessage()).contains("has passed no ring"), refused::getMessage);
        made.close();
    }

    @Test
    void shouldRefuseCutWireUpData() {
        ShmEndpoint made = (ShmEndpoint) victim.connect(new RawHost(9, 9, true), hostile.address(), connection);
        byte[] whole = made.wireUpData();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            FairleadException refused = assertThrows(FairleadException.class, () -> made.wireUp(cut));
            assertEquals(Reason.PROTOCOL_VIOLATION, refused.reason());
        }
        made.close();
    }

    @Test
    void shouldRefuseToAllocateWhatNoFileCanHold() {
        FairleadException failure = assertThrows(
                FairleadException.class,
                () -> transport.allocate(Long.MAX_VALUE - 63, EnumSet.allOf(AccessRight.class)));
        assertEquals(Reason.REGISTRATION_FAILED, failure.reason());
    }

    @Test
    void shouldRefuseForgedKeys() {
        RegisteredMemory own = transport.allocate(SIZE, EnumSet.allOf(AccessRight.class));
        assertNotNull(own);
        byte[] genuine = own.key();
        for (int i = 0; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= 1;
            assertFalse(end.unpack(forged, PROOF, SIZE) instanceof MappedMemory, "changed at " + i);
        }
        for (int length = 1; length < genuine.length; length++) {
            byte[] cut = Arrays.copyOf(genuine, length);
            assertThrows(FairleadException.class, () -> end.unpack(cut, PROOF, SIZE), "cut to " + length);
        }
        for (long absurd : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 100}) {
            FairleadException failure = assertThrows(FairleadException.class, () -> end.unpack(genuine, PROOF, absurd));
            assertEquals(Reason.MALFORMED_KEY, failure.reason());
        }
        // A length that the file has not is not mapped, whoever says so.
        RemoteMemory longer = end.unpack(genuine, PROOF, 2 * SIZE);
        assertFalse(longer instanceof MappedMemory, "a region that is shorter than its key says");
        RemoteMemory right = end.unpack(genuine, PROOF, SIZE);
        assertInstanceOf(MappedMemory.class, right);
        right.close();
        own.close();
    }
}
