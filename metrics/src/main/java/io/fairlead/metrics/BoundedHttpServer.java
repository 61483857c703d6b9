package io.fairlead.metrics;

import com.sun.net.httpserver.HttpHandler;
import io.fairlead.spi.CloseSteps;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers one GET or HEAD per connection, within limits: so many connections, so long for a request, so long for the reading of its
 * answer. The JDK's own server has such limits for the process as a whole only, which belongs to the application. Thread-safe.
 */
final class BoundedHttpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BoundedHttpServer.class);
    private static final int BACKLOG = 64;
    private static final long ACCEPT_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * What strangers may take.
     *
     * @param connections descriptors at once
     * @param request from the connection's begin to the end of its request, a TLS handshake included
     * @param answer from there to the last byte of the answer, the handler included
     */
    record Limits(int connections, Duration request, Duration answer) {}

    private final ServerSocket socket;
    private final Optional<ServerTls> tls;
    private final Limits limits;
    private final HttpHandler handler;
    private final ScheduledThreadPoolExecutor deadlines;
    /** Oldest first. */
    private final Set<Connection> connections = new LinkedHashSet<>();

    private volatile boolean closed;

    /**
     * Starts listening.
     *
     * @throws IOException if the address cannot be had
     */
    BoundedHttpServer(InetSocketAddress address, Optional<ServerTls> tls, Limits limits, HttpHandler handler)
            throws IOException {
        this.tls = tls;
        this.limits = limits;
        this.handler = handler;
        socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(address, BACKLOG);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        deadlines = new ScheduledThreadPoolExecutor(
                1,
                Thread.ofPlatform().daemon().name("fairlead-metrics-deadlines").factory());
        deadlines.setRemoveOnCancelPolicy(true);
        Thread.ofVirtual().name("fairlead-metrics-accept").start(this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    private void accept() {
        while (!closed) {
            try {
                admit(socket.accept());
            } catch (IOException failure) {
                if (!closed) {
                    // Such as no descriptor left; whoever waits is served once there is one.
                    LOG.debug("cannot accept a connection", failure);
                    LockSupport.parkNanos(ACCEPT_AGAIN_NS);
                }
            }
        }
    }

    /** Closes the oldest connection that has not sent its request, or has not hung up after its answer. Closes none if all are being answered. */
    private void admit(Socket accepted) {
        Connection connection = new Connection(accepted);
        Optional<Connection> leaving = Optional.empty();
        boolean admitted;
        synchronized (connections) {
            if (connections.size() >= limits.connections) {
                leaving = connections.stream().filter(other -> !other.answering).findFirst();
                leaving.ifPresent(connections::remove);
            }
            admitted = !closed && connections.size() < limits.connections && connections.add(connection);
        }
        leaving.ifPresent(Connection::end);
        if (admitted) {
            Thread.ofVirtual().name("fairlead-metrics-request").start(connection);
        } else {
            connection.end();
        }
    }

    /** Waits until nobody is being answered. */
    void awaitAnswers(Duration max) throws InterruptedException {
        long deadline = System.nanoTime() + max.toNanos();
        synchronized (connections) {
            while (connections.stream().anyMatch(connection -> connection.answering)) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0) {
                    return;
                }
                connections.wait(left);
            }
        }
    }

    @Override
    public void close() {
        Set<Connection> left;
        synchronized (connections) {
            closed = true;
            left = new LinkedHashSet<>(connections);
        }
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing the port failed", e);
        }
        CloseSteps.runAll(() -> CloseSteps.runEach(left, Connection::end), deadlines::shutdownNow);
    }

    /** One request and its answer, on a thread for both. */
    private final class Connection implements Runnable {
        private final Socket stream;
        private volatile boolean answering;

        Connection(Socket stream) {
            this.stream = stream;
        }

        @Override
        public void run() {
            Future<?> deadline = CompletableFuture.completedFuture(null);
            try (stream) {
                deadline = endIn(limits.request);
                Socket secured = tls.isPresent() ? tls.get().accept(stream) : stream;
                InputStream in = new BufferedInputStream(secured.getInputStream());
                BufferedExchange exchange = RequestReader.read(in, secured);
                answering = true;
                deadline.cancel(false);
                deadline = endIn(limits.answer);
                answer(exchange);
                exchange.write(secured.getOutputStream());
                // Unread, what the client still sends would have the kernel take back what it has not read yet.
                secured.shutdownOutput();
                leave();
                in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException | RejectedExecutionException gone) {
                LOG.debug("a connection ended early: {}", gone.toString());
            } finally {
                deadline.cancel(false);
                synchronized (connections) {
                    connections.remove(this);
                    connections.notifyAll();
                }
            }
        }

        /** From here on nobody waits for it, and it may be closed to free its slot. */
        private void leave() {
            synchronized (connections) {
                answering = false;
                connections.notifyAll();
            }
        }

        private Future<?> endIn(Duration limit) {
            return deadlines.schedule(this::end, limit.toNanos(), TimeUnit.NANOSECONDS);
        }

        /** Whoever waits in its streams gets an exception. */
        void end() {
            try {
                stream.close();
            } catch (IOException e) {
                LOG.debug("closing a connection failed", e);
            }
        }

        /** Whatever the handler throws ends its own request alone. */
        private void answer(BufferedExchange exchange) throws IOException {
            try {
                handler.handle(exchange);
            } catch (Throwable thrown) {
                LOG.warn("cannot answer {}", exchange.getRequestURI().getPath(), thrown);
                exchange.restart();
            }
            if (!exchange.isAnswered()) {
                exchange.restart();
                byte[] text = "the page failed; the log says why\n".getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
                exchange.sendResponseHeaders(500, text.length);
                exchange.getResponseBody().write(text);
            }
        }
    }
}
