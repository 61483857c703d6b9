package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Packets with and without descriptors, and what the kernel reports of the other end. */
@Timeout(60)
final class LocalSocketTest {
    private static final SocketPlace HERE = SocketPlace.NAMESPACE;

    private static final int MANY = 5000;
    /** More bytes than the kernel takes for an empty packet. */
    private static final int PACKET_MAX = 1024;

    private static final int SEND_BUFFER = 7;

    @TempDir
    private Path folder;

    private final SocketId id = SocketId.random();

    @Test
    void shouldPassADescriptorBeforeTheConnectionIsAccepted() throws IOException {
        try (SocketPlace.Listening listening = HERE.listen(id, 4);
                MemoryFile file = MemoryFile.create(8, Arena.ofConfined())) {
            assertNull(listening.socket().accept());
            file.memory().set(ValueLayout.JAVA_LONG, 0, 77);
            try (LocalSocket connected = HERE.connect(id)) {
                connected.send(new byte[] {1, 2, 3}, file.descriptor());
                connected.send(new byte[] {4});
            }
            try (LocalSocket accepted =
                    Objects.requireNonNull(listening.socket().accept())) {
                LocalSocket.Packet packet = Objects.requireNonNull(accepted.receive(10));
                assertArrayEquals(new byte[] {1, 2, 3}, packet.bytes());
                try (MemoryFile other = MemoryFile.open(packet.descriptor(), 8)) {
                    assertEquals(77, other.memory().get(ValueLayout.JAVA_LONG, 0));
                }
                packet.close();
                LocalSocket.Packet plain = Objects.requireNonNull(accepted.receive(10));
                assertArrayEquals(new byte[] {4}, plain.bytes());
                assertEquals(-1, plain.descriptor());
                assertThrows(EOFException.class, () -> accepted.receive(10));
            }
        }
    }

    @Test
    void shouldWaitForAPacketAndForTheEnd() throws IOException {
        try (SocketPlace.Listening listening = HERE.listen(id, 4);
                LocalSocket connected = HERE.connect(id);
                LocalSocket accepted = Objects.requireNonNull(listening.socket().accept())) {
            assertFalse(accepted.await(1));
            assertNull(accepted.receive(10));
            connected.send(new byte[1]);
            assertTrue(accepted.await(1));
            assertNotNull(accepted.receive(10));
            connected.shutDown();
            assertTrue(accepted.await(1));
            assertThrows(IOException.class, () -> accepted.send(new byte[1]));
        }
    }

    @Test
    void shouldRefuseALongerPacketAndKeepNothingOfIt() throws IOException {
        try (SocketPlace.Listening listening = HERE.listen(id, 4);
                LocalSocket connected = HERE.connect(id);
                LocalSocket accepted = Objects.requireNonNull(listening.socket().accept());
                MemoryFile file = MemoryFile.create(8, Arena.ofConfined())) {
            int before = descriptors();
            connected.send(new byte[11], file.descriptor());
            assertThrows(IOException.class, () -> accepted.receive(10));
            assertEquals(before, descriptors());
        }
    }

    /** The ways in which a descriptor arrives that nobody wants. */
    enum Unwanted {
        RECEIVED,
        SEVERAL,
        BEHIND_AN_EMPTY_PACKET,
        BEHIND_MANY_EMPTY_PACKETS,
        NEVER_ACCEPTED
    }

    /** A stranger's TCP connection whose close waits for an hour, until what was written to it has been read. */
    @ParameterizedTest
    @EnumSource
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldNotWaitForTheCloseOfAStrangersFile(Unwanted way) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open();
                SocketPlace.Listening listening = HERE.listen(id, 4);
                LocalSocket stranger = HERE.connect(id)) {
            int emptyPackets = switch (way) {
                case BEHIND_AN_EMPTY_PACKET -> 1;
                case BEHIND_MANY_EMPTY_PACKETS -> MANY;
                default -> 0;
            };
            if (emptyPackets == MANY) {
                makeRoomForMany(stranger);
            }
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Set<Integer> before = descriptorNumbers();
            SocketChannel full = SocketChannel.open(server.getLocalAddress());
            Set<Integer> opened = descriptorNumbers();
            opened.removeAll(before);
            assertEquals(1, opened.size());
            try (SocketChannel _ = server.accept()) {
                try (full) {
                    full.configureBlocking(false);
                    full.setOption(StandardSocketOptions.SO_LINGER, 3600);
                    while (full.write(ByteBuffer.allocate(1 << 20)) > 0) {
                        Thread.yield();
                    }
                    for (int i = 0; i < emptyPackets; i++) {
                        stranger.send(new byte[0]);
                    }
                    int file = opened.iterator().next();
                    if (way == Unwanted.SEVERAL) {
                        stranger.send(new byte[1], file, file);
                    } else {
                        stranger.send(new byte[1], file);
                    }
                }
                // The one in the packet is the last one now.
                switch (way) {
                    case RECEIVED -> {
                        LocalSocket accepted = accept(listening);
                        Objects.requireNonNull(accepted.receive(10)).close();
                        accepted.close();
                    }
                    case SEVERAL -> {
                        LocalSocket accepted = accept(listening);
                        assertThrows(IOException.class, () -> accepted.receive(10));
                        accepted.close();
                    }
                    case BEHIND_AN_EMPTY_PACKET, BEHIND_MANY_EMPTY_PACKETS ->
                        accept(listening).close();
                    default -> listening.socket().close();
                }
            }
        }
    }

    /** The sender's buffer bounds what is queued. */
    private static void makeRoomForMany(LocalSocket sender) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment polled = arena.allocate(ValueLayout.JAVA_LONG);
            sender.writePolled(polled, 0);
            int descriptor = polled.get(ValueLayout.JAVA_INT, 0);
            int wanted = MANY * PACKET_MAX;
            assertEquals(0, Libc.setOption(descriptor, SEND_BUFFER, arena.allocateFrom(ValueLayout.JAVA_INT, wanted)));
            MemorySegment option = arena.allocateFrom(ValueLayout.JAVA_INT, Integer.BYTES, 0);
            assertEquals(0, Libc.option(descriptor, SEND_BUFFER, option));
            assumeTrue(option.getAtIndex(ValueLayout.JAVA_INT, 1) >= wanted, "net.core.wmem_max is too small");
        }
    }

    private static LocalSocket accept(SocketPlace.Listening listening) throws IOException {
        return Objects.requireNonNull(listening.socket().accept());
    }

    private static Set<Integer> descriptorNumbers() {
        return Arrays.stream(Objects.requireNonNull(new File("/proc/self/fd").list()))
                .map(Integer::valueOf)
                .filter(number -> Files.exists(Path.of("/proc/self/fd/" + number), LinkOption.NOFOLLOW_LINKS))
                .collect(Collectors.toSet());
    }

    /** Whoever may write to the folder may put another file in the socket's place. */
    @Test
    void shouldChangePermissionsOfItsOwnSocketAlone() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "");
        Files.setPosixFilePermissions(victim, PosixFilePermissions.fromString("rw-------"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), victim);
        assertThrows(IOException.class, () -> SocketPlace.allowAll(victim));
        assertThrows(IOException.class, () -> SocketPlace.allowAll(link));
        assertThrows(IOException.class, () -> SocketPlace.allowAll(folder.resolve("missing")));
        assertEquals("rw-------", permissions(victim));
        for (boolean isForAll : new boolean[] {false, true}) {
            try (SocketPlace.Listening listening =
                    SocketPlace.of(folder, isForAll).listen(SocketId.random(), 1)) {
                Path file = Objects.requireNonNull(listening.file());
                assertEquals(isForAll ? "rw-rw-rw-" : "rw-------", permissions(file));
                if (!isForAll) {
                    Path second = Files.createLink(folder.resolve("second"), file);
                    assertThrows(IOException.class, () -> SocketPlace.allowAll(file));
                    assertEquals("rw-------", permissions(file));
                    Files.delete(second);
                }
            }
        }
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void shouldReportTheProcessOfBothEnds() throws IOException {
        int self = Math.toIntExact(ProcessHandle.current().pid());
        try (SocketPlace.Listening listening = HERE.listen(id, 4);
                LocalSocket connected = HERE.connect(id);
                LocalSocket accepted = Objects.requireNonNull(listening.socket().accept())) {
            LocalSocket.Credentials expected = new LocalSocket.Credentials(self, Libc.user());
            assertEquals(expected, connected.peer());
            assertEquals(expected, accepted.peer());
            PinnedProcess process = PinnedProcess.open(accepted, accepted.peer());
            if (process != null) {
                assertTrue(process.isAlive());
                process.close();
            }
        }
    }

    @Test
    void shouldSayThatNobodyListensAndThatTheQueueIsFull() throws IOException {
        LocalSocket.RefusedException nobody = assertThrows(LocalSocket.RefusedException.class, () -> HERE.connect(id));
        assertFalse(nobody.isFull());
        List<LocalSocket> waiting = new ArrayList<>();
        try (SocketPlace.Listening _ = HERE.listen(id, 1)) {
            LocalSocket.RefusedException full = assertThrows(LocalSocket.RefusedException.class, () -> {
                for (int i = 0; i < 10; i++) {
                    waiting.add(HERE.connect(id));
                }
            });
            assertTrue(full.isFull());
            assertThrows(IOException.class, () -> HERE.listen(id, 1));
        } finally {
            waiting.forEach(LocalSocket::close);
        }
    }

    @Test
    void shouldListenInAFolderAndLeaveNothingThere() throws IOException {
        SocketPlace place = SocketPlace.of(folder, false);
        try (SocketPlace.Listening listening = place.listen(id, 1);
                LocalSocket _ = place.connect(id)) {
            Objects.requireNonNull(listening.socket().accept()).close();
            assertEquals(1, files());
        }
        assertEquals(0, files());
        assertThrows(IOException.class, () -> place.connect(id));
        assertThrows(IOException.class, () -> SocketPlace.of(folder.resolve("missing"), false));
        Path deep = Files.createDirectories(folder.resolve("x".repeat(LocalSocket.PATH_MAX)));
        assertThrows(IOException.class, () -> SocketPlace.of(deep, false));
    }

    /** A killed process deletes nothing itself. */
    @Test
    void shouldDeleteWhatKilledProcessesHaveLeft() throws IOException {
        SocketPlace place = SocketPlace.of(folder, false);
        SocketId left = SocketId.random();
        try (SocketPlace.Listening listening = place.listen(left, 1);
                SocketPlace.Listening _ = place.listen(SocketId.random(), 1)) {
            listening.socket().close();
            assertEquals(2, files());
            SocketPlace.of(folder, false);
            assertEquals(1, files());
        }
    }

    /** The folder may have other files: of UCX's secrets in /dev/shm, of logs, of whoever. */
    @Test
    void shouldDeleteNothingButSockets() throws IOException {
        Files.writeString(folder.resolve("fairlead-secret-0"), "secret");
        Files.writeString(folder.resolve("fairlead-" + SocketId.random()), "a file");
        Path old = Files.writeString(folder.resolve(".fairlead-" + SocketId.random()), "an old file");
        Files.setLastModifiedTime(old, FileTime.from(Instant.EPOCH));
        Files.createDirectory(folder.resolve("fairlead-" + SocketId.random()));
        SocketPlace.of(folder, false);
        assertEquals(4, files());
    }

    private long files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.count();
        }
    }

    private static int descriptors() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }
}
