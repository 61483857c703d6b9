package io.fairlead.internal.engine;

import io.fairlead.ConnectionRequestHandler;
import io.fairlead.internal.handshake.Answer;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.spi.CloseSteps;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection requests of a worker's listeners, each until its handshake has begun on some worker. Belongs to the
 * worker's thread.
 */
final class ConnectionRequests {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionRequestHandler.class);

    private record News(CoreConnectionRequest request, ConnectionRequestHandler handler) {}

    private final List<CoreConnectionRequest> requests = new ArrayList<>();
    /** Requests whose handlers have not been called. */
    private final ArrayDeque<News> news = new ArrayDeque<>();

    void add(CoreConnectionRequest request, ConnectionRequestHandler handler) {
        requests.add(request);
        news.add(new News(request, handler));
    }

    boolean isEmpty() {
        return requests.isEmpty();
    }

    /** Whether handler calls are pending. */
    boolean hasNews() {
        return !news.isEmpty();
    }

    /** The number of handshake slots in use. */
    int size() {
        return requests.size();
    }

    /** Calls the handlers, outside of the selector's turn. */
    int deliver() {
        int count = 0;
        for (News next = news.poll(); next != null; next = news.poll()) {
            CoreConnectionRequest request = next.request;
            if (request.isOpen()) {
                try {
                    next.handler.requested(request);
                } catch (Throwable thrown) {
                    Callbacks.logThrown(
                            LOG, thrown, "a connection request handler threw; peer={}", request.remoteAddress());
                    request.reject();
                }
                count++;
            }
        }
        return count;
    }

    /** Frees the slots of requests that no longer need them. */
    void settle(BiConsumer<SocketConnection, Answer> refuser) {
        if (!requests.isEmpty()) {
            requests.removeIf(request -> request.trySettle(refuser));
        }
    }

    /** Checks the deadline of each request. */
    void expire(long nowNs, long gapNs) {
        requests.forEach(request -> request.expireIfDue(nowNs, gapNs));
    }

    /** A listener is closed. */
    void end(InetSocketAddress listener) {
        for (CoreConnectionRequest request : requests) {
            if (request.isOf(listener)) {
                request.end();
            }
        }
    }

    /** The worker closes. */
    void close() {
        news.clear();
        CloseSteps.runAll(() -> CloseSteps.runEach(requests, CoreConnectionRequest::hangUp), requests::clear);
    }
}
