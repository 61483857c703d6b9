package io.fairlead.benchmarks.contest;

import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Subjects of a NATS server, which each message goes through. The client's own threads read; a receiver waits for its queue, whatever it is to do when idle. */
final class NatsLink implements Link {
    private static final String FORTH = "bench.forth";
    private static final String BACK = "bench.back";
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
    private static final Duration AWAIT = Duration.ofSeconds(1);
    /** Messages after which the publisher waits until the server has them: the protocol has no other brake. */
    private static final int WINDOW = 10_000;

    private final @Nullable NatsServer server;
    private final Connection connection;
    private final Subscription subscription;
    private final String to;
    private int size;
    private long expected;

    private NatsLink(@Nullable NatsServer server, String url, String to, String from)
            throws IOException, InterruptedException, TimeoutException {
        this.server = server;
        this.to = to;
        connection = Nats.connect(Options.builder()
                .server(url)
                .connectionTimeout(CONNECT_LIMIT)
                .maxReconnects(0)
                .build());
        subscription = connection.subscribe(from);
        subscription.setPendingLimits(-1, -1);
        connection.flush(CONNECT_LIMIT);
    }

    static NatsLink listen(Address address) throws IOException, InterruptedException, TimeoutException {
        NatsServer server = NatsServer.start(
                NatsServer.find().orElseThrow(() -> new IOException(NatsServer.PACKAGE + " is not installed")));
        NatsLink link = null;
        long untilNs = System.nanoTime() + CONNECT_LIMIT.toNanos();
        while (link == null) {
            try {
                link = new NatsLink(server, server.url(), BACK, FORTH);
            } catch (IOException notYet) {
                if (System.nanoTime() - untilNs > 0) {
                    server.close();
                    throw notYet;
                }
            }
        }
        address.tell(server.url());
        return link;
    }

    static NatsLink connect(String url) throws IOException, InterruptedException, TimeoutException {
        return new NatsLink(null, url, FORTH, BACK);
    }

    @Override
    public void begin(int bytes, int sends, int receives, int inFlight) {
        size = bytes;
        expected = 0;
    }

    @Override
    public void send(long number) {
        byte[] message = new byte[size];
        Payload.write(Payload.wrap(message), 0, size, number);
        connection.publish(to, message);
        if (number % WINDOW == WINDOW - 1) {
            flushed();
        }
    }

    private void flushed() {
        try {
            connection.flush(CONNECT_LIMIT);
        } catch (TimeoutException late) {
            throw new IllegalStateException("the server does not answer", late);
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        }
    }

    private static IllegalStateException interrupted(InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted", interrupted);
    }

    @Override
    public void flush() {
        try {
            connection.flushBuffer();
        } catch (IOException failure) {
            throw new IllegalStateException("the server is gone", failure);
        }
    }

    @Override
    public int poll() {
        Message message = next();
        if (message == null) {
            return 0;
        }
        byte[] data = message.getData();
        Payload.length(size, data.length);
        Payload.check(Payload.wrap(data), 0, size, expected);
        expected++;
        return 1;
    }

    private @Nullable Message next() {
        try {
            return subscription.nextMessage(AWAIT);
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        }
    }

    @Override
    public void await() {
        // poll() has waited.
    }

    @Override
    public void close() {
        try {
            connection.close();
            if (server != null) {
                server.close();
            }
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        } catch (IOException failure) {
            throw new IllegalStateException("the server's settings cannot be deleted", failure);
        }
    }
}
