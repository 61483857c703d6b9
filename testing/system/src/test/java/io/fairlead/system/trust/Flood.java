package io.fairlead.system.trust;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Strangers who connect to a listener, do the same bad thing each time, and come back as soon as they are hung up on. They come from addresses of their own. */
final class Flood implements AutoCloseable {
    /** What a stranger does with a connection, on a thread of its own. */
    @FunctionalInterface
    interface Deed {
        /** Returns when it only waits for the end of the connection. */
        void run(Socket connection) throws IOException;
    }

    /** Where strangers come from: none of these has more silent connections than an address may have. */
    private static final List<InetAddress> SOURCES = Stream.of("127.0.0.5", "127.0.0.6", "127.0.0.7", "127.0.0.8")
            .map(InetAddress::ofLiteral)
            .toList();

    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final InetSocketAddress listener;
    private final Deed deed;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong shed = new AtomicLong();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final List<Thread> strangers = new ArrayList<>();
    private volatile boolean isOver;

    /** Begins at once. */
    Flood(InetSocketAddress listener, int count, Deed deed) {
        this.listener = listener;
        this.deed = deed;
        for (int i = 0; i < count; i++) {
            InetAddress source = SOURCES.get(i % SOURCES.size());
            strangers.add(Thread.ofVirtual().name("stranger").start(() -> flood(source)));
        }
    }

    /** How many connections were made. */
    long begun() {
        return begun.get();
    }

    /** How many of them the listener has ended. */
    long shed() {
        return shed.get();
    }

    @Override
    public String toString() {
        return "begun=" + begun + ", shed=" + shed;
    }

    private void flood(InetAddress source) {
        while (!isOver) {
            try (Socket socket = new Socket()) {
                sockets.add(socket);
                connect(socket, source);
                sockets.remove(socket);
            } catch (IOException full) {
                // The kernel's queue of the listener is full, or its port closed.
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private void connect(Socket socket, InetAddress source) throws IOException {
        socket.bind(new InetSocketAddress(source, 0));
        socket.connect(listener);
        begun.incrementAndGet();
        try {
            deed.run(socket);
            drain(socket);
        } catch (IOException reset) {
            // That is an end as well.
        }
        if (!isOver) {
            shed.incrementAndGet();
        }
    }

    private static void drain(Socket socket) throws IOException {
        socket.setSoTimeout(0);
        InputStream in = socket.getInputStream();
        byte[] bytes = new byte[1024];
        int count = 0;
        while (count >= 0) {
            count = in.read(bytes);
        }
    }

    @Override
    public void close() throws IOException {
        isOver = true;
        for (Thread stranger : strangers) {
            // One that was about to connect is found in a later round.
            while (!hasEnded(stranger)) {
                for (Socket socket : sockets) {
                    socket.close();
                }
            }
        }
    }

    private static boolean hasEnded(Thread stranger) {
        try {
            return stranger.join(Duration.ofMillis(10));
        } catch (InterruptedException givenUp) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while strangers leave", givenUp);
        }
    }
}
