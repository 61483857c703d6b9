package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.internal.RawHost;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What strangers send is closed by threads, and nothing more is taken of them while all threads wait. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ReceivedFilesTest {
    private static final SocketPlace HERE = SocketPlace.NAMESPACE;
    private static final int BUFFER = 1 << 12;
    private static final int OWN_ID = 3;

    @Test
    void shouldCloseALittleMemoryAtOnceAndMuchOnAThread() throws IOException {
        int small = MemoryFile.createUnmapped(1 << 12);
        int large = MemoryFile.createUnmapped(8 << 20);
        ReceivedFiles.close(large, small);
        assertFalse(isOpen(small), "a little memory is closed at once");
        while (isOpen(large)) {
            Thread.yield();
        }
    }

    /** A ring that arrives meanwhile is neither received nor dropped. */
    @Test
    void shouldTakeNothingWhileTheClosesOfStrangersFilesWait() throws IOException {
        RawHost host = new RawHost(OWN_ID, 4, false, 1);
        RawHost peerHost = new RawHost(4, OWN_ID, true, 1);
        RingSeal own = new RingSeal(host, RingSeal.key(host));
        RingSeal peers = new RingSeal(peerHost, RingSeal.key(peerHost));
        AtomicLong nowNs = new AtomicLong();
        try (RingListener listener = new RingListener(HERE, new SharingRule(Libc.user(), false, false), nowNs::get);
                MemoryFile file = MemoryFile.create(RingSlots.SLAB_SIZE, Arena.ofConfined());
                LocalSocket peer = HERE.connect(listener.id());
                Closes closes = new Closes()) {
            listener.accept();
            PassedRing ring = listener.await(OWN_ID, own);
            Closes.fill();
            peer.send(peers.packet(listener.token()), file.descriptor());
            assertEquals(0, listener.take(ring));
            nowNs.addAndGet(TimeUnit.HOURS.toNanos(1));
            assertEquals(0, listener.take(ring));
            try (LocalSocket later = HERE.connect(listener.id())) {
                later.send(new byte[RingSeal.PACKET_LENGTH + 1]);
                assertEquals(0, listener.take(ring));
            }
            closes.go();
            assertTrue(HostilePacketTest.isPassed(listener, ring));
        }
    }

    /** TCP connections whose closes wait until this is closed, one for each thread. */
    private static final class Closes implements AutoCloseable {
        private final List<SocketChannel> readers = new ArrayList<>();

        Closes() throws IOException {
            List<SocketChannel> writers = new ArrayList<>();
            List<Integer> files = new ArrayList<>();
            try (ServerSocketChannel server = ServerSocketChannel.open()) {
                server.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
                server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                // All numbers are found out before a thread closes the first one.
                for (int i = 0; i < ReceivedFiles.THREADS_MAX; i++) {
                    Set<Integer> before = descriptorNumbers();
                    writers.add(SocketChannel.open());
                    Set<Integer> opened = descriptorNumbers();
                    opened.removeAll(before);
                    assertEquals(1, opened.size());
                    files.addAll(opened);
                    fill(writers.get(i), server);
                }
                for (int i = 0; i < ReceivedFiles.THREADS_MAX; i++) {
                    pass(files.get(i), writers.get(i));
                }
            } catch (IOException | RuntimeException | Error failure) {
                go();
                throw failure;
            } finally {
                for (SocketChannel writer : writers) {
                    writer.close();
                }
            }
        }

        private void fill(SocketChannel writer, ServerSocketChannel server) throws IOException {
            writer.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER);
            assertTrue(writer.connect(server.getLocalAddress()));
            readers.add(server.accept());
            writer.configureBlocking(false);
            writer.setOption(StandardSocketOptions.SO_LINGER, 3600);
            while (writer.write(ByteBuffer.allocate(1 << 20)) > 0) {
                Thread.yield();
            }
        }

        /** Its last descriptor is then in a packet that nobody receives. */
        private static void pass(int file, SocketChannel writer) throws IOException {
            SocketId id = SocketId.random();
            try (SocketPlace.Listening listening = HERE.listen(id, 1);
                    LocalSocket stranger = HERE.connect(id)) {
                stranger.send(new byte[1], file);
                writer.close();
                Objects.requireNonNull(listening.socket().accept()).close();
            }
        }

        /** Lets others wait for the threads until nothing more is to be received. */
        static void fill() {
            while (!ReceivedFiles.isFull()) {
                int file = Libc.openPath("/");
                assertTrue(file >= 0, () -> "errno " + -file);
                ReceivedFiles.close(file);
                Thread.yield();
            }
        }

        @Override
        public void close() throws IOException {
            go();
        }

        void go() throws IOException {
            for (SocketChannel reader : readers) {
                reader.close();
            }
            while (ReceivedFiles.isFull()) {
                Thread.yield();
            }
        }
    }

    private static Set<Integer> descriptorNumbers() {
        return Arrays.stream(Objects.requireNonNull(new File("/proc/self/fd").list()))
                .map(Integer::valueOf)
                .filter(ReceivedFilesTest::isOpen)
                .collect(Collectors.toSet());
    }

    private static boolean isOpen(int descriptor) {
        return Files.exists(Path.of("/proc/self/fd/" + descriptor), LinkOption.NOFOLLOW_LINKS);
    }
}
