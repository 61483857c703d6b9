package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.HmacKey;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the descriptors of a context's regions to peers that ask for them, on a thread, because a peer may use a region
 * without any progress of its owner. A request names a region and a connection, and is signed with the key of that
 * connection and the secret of the region. Thread-safe.
 *
 * <p>The socket listens from the beginning, so nobody else can take its name; the thread runs from the first region on.
 * Every process of the network namespace can connect; connections are
 * bounded in number and time, and one that does not ask correctly gets no answer.
 */
final class RegionServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RegionServer.class);

    private static final int BACKLOG_MAX = 1024;
    static final int CLIENTS_MAX = 64;
    private static final int ACCEPTED_PER_TURN = CLIENTS_MAX / 2;
    private static final long CLIENT_MAX_NS = 1_000_000_000;
    private static final int TICK_MS = 100;
    private static final long NO_DESCRIPTOR_PAUSE_NS = 10_000_000;

    private final SharingRule rule;
    private final SocketId id = SocketId.random();
    private final AtomicLong numbers = new AtomicLong();
    /** Guarded by itself, as all that follows is by this server. */
    private final Map<Long, HmacKey> connections = new HashMap<>();

    private final Map<Long, Region> regions = new HashMap<>();
    private final SocketPlace.Listening listening;
    private @Nullable Thread thread;
    private boolean closed;
    /** The thread has closed the socket. */
    private boolean ended;

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Region(byte[] secret, MemoryFile file) {}

    private record Client(LocalSocket socket, long sinceNs) {}

    /**
     * Listens.
     *
     * @param rule which processes it serves
     * @throws IOException if the kernel refuses
     */
    RegionServer(SocketPlace place, SharingRule rule) throws IOException {
        this.rule = rule;
        this.listening = place.listen(id, BACKLOG_MAX);
    }

    /** Where it listens. */
    SocketId id() {
        return id;
    }

    /**
     * Admits the requests of a connection's peer.
     *
     * @return the number with which the peer refers to the connection
     */
    long admit(HmacKey key) {
        long number = numbers.incrementAndGet();
        synchronized (this) {
            connections.put(number, key);
        }
        return number;
    }

    /** Refuses the requests of a connection's peer from now on. */
    synchronized void refuse(long connection) {
        connections.remove(connection);
    }

    /**
     * Adds a region.
     *
     * @param file stays the caller's, who {@linkplain #remove removes} the region before it closes the file
     * @return the region's key
     * @throws IOException if no thread can be started
     */
    synchronized RegionKey add(MemoryFile file) throws IOException {
        if (closed) {
            throw new IOException("the context is closed");
        }
        if (thread == null) {
            try {
                thread = Thread.ofPlatform().daemon().name("fairlead-shm").start(() -> run(listening.socket()));
            } catch (OutOfMemoryError noThread) {
                throw new IOException("no thread can be started: " + noThread.getMessage(), noThread);
            }
        }
        RegionKey key = new RegionKey(numbers.incrementAndGet(), SocketId.randomBytes(RegionKey.SECRET_LENGTH));
        regions.put(key.number(), new Region(key.secret(), file));
        return key;
    }

    /** Removes a region: its descriptor is not passed any more. */
    synchronized void remove(RegionKey key) {
        regions.remove(key.number());
    }

    private void run(LocalSocket socket) {
        List<Client> clients = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment polled = arena.allocate(JAVA_LONG, 1 + CLIENTS_MAX);
            while (!isClosed()) {
                socket.writePolled(polled, 0);
                for (int i = 0; i < clients.size(); i++) {
                    clients.get(i).socket.writePolled(polled, 1 + i);
                }
                if (Libc.poll(polled, 1 + clients.size(), clients.isEmpty() ? -1 : TICK_MS) < 0) {
                    throw new IOException("poll failed");
                }
                if (!isClosed()) {
                    accept(socket, clients);
                    long nowNs = System.nanoTime();
                    clients.removeIf(client -> isOver(client, nowNs));
                }
            }
        } catch (IOException | RuntimeException | Error failure) {
            LOG.warn("regions are served by their owner's progress from now on, which is slower", failure);
        } finally {
            // Peers that ask later are refused at once, and do not wait.
            CloseSteps.runAll(this::end, () -> CloseSteps.runEach(clients, client -> client.socket.close()));
        }
    }

    private synchronized void end() {
        ended = true;
        listening.close();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void accept(LocalSocket socket, List<Client> clients) {
        try {
            if (ReceivedFiles.isFull()) {
                LockSupport.parkNanos(NO_DESCRIPTOR_PAUSE_NS);
            }
            for (int i = 0; i < ACCEPTED_PER_TURN && !ReceivedFiles.isFull(); i++) {
                LocalSocket accepted = socket.accept();
                if (accepted == null) {
                    return;
                }
                if (!rule.allows(accepted)) {
                    accepted.close();
                    continue;
                }
                if (clients.size() == CLIENTS_MAX) {
                    // It has not asked in the turns since it connected.
                    clients.removeFirst().socket.close();
                }
                clients.add(new Client(accepted, System.nanoTime()));
            }
        } catch (IOException refused) {
            LOG.debug("a request for a region cannot be accepted", refused);
            LockSupport.parkNanos(NO_DESCRIPTOR_PAUSE_NS);
        }
    }

    /** Answers a client if it has asked; whether it is closed. */
    private boolean isOver(Client client, long nowNs) {
        if (ReceivedFiles.isFull()) {
            // Neither received from nor ended: both may add to what waits.
            return false;
        }
        try {
            LocalSocket.Packet packet = client.socket.receive(RegionKey.REQUEST_LENGTH);
            if (packet == null && nowNs - client.sinceNs < CLIENT_MAX_NS) {
                return false;
            }
            if (packet != null) {
                packet.close();
                answer(client.socket, packet.bytes());
            }
        } catch (IOException | RuntimeException | OutOfMemoryError failure) {
            // One client's trouble ends one client.
            LOG.debug("a request for a region has no answer", failure);
        }
        client.socket.close();
        return true;
    }

    private void answer(LocalSocket client, byte[] request) throws IOException {
        if (request.length != RegionKey.REQUEST_LENGTH) {
            return;
        }
        HmacKey key;
        Region region;
        synchronized (this) {
            key = connections.get(RegionKey.connection(request));
            region = regions.get(RegionKey.number(request));
        }
        if (key == null || !RegionKey.isSigned(request, key, region == null ? RegionKey.NO_SECRET : region.secret)) {
            return;
        }
        byte[] answer = RegionKey.answer(request, key);
        synchronized (this) {
            // Its owner closes the file after it has removed the region.
            if (region != null && regions.containsKey(RegionKey.number(request))) {
                client.send(answer, region.file.descriptor());
            }
        }
    }

    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            running = thread;
            if (running == null) {
                listening.close();
                return;
            }
            if (!ended) {
                listening.socket().shutDown();
            }
        }
        ThreadEnd.await(running);
    }
}
