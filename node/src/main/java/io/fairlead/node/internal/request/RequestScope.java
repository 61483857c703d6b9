package io.fairlead.node.internal.request;

import io.fairlead.node.Peer;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestInterceptor;
import io.fairlead.node.RequestOptions;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceRequest;
import io.fairlead.node.internal.memory.ProgressThread;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The request that the current thread handles. Requests that are made meanwhile have at most its time left, and are cancelled with it. Thread-safe. */
public final class RequestScope {
    private static final ScopedValue<ServedRequest> CURRENT = ScopedValue.newInstance();

    private RequestScope() {}

    /** The request that this thread handles. */
    public static Optional<ServiceRequest> current() {
        return Optional.ofNullable(request());
    }

    private static @Nullable ServedRequest request() {
        if (Thread.currentThread() instanceof ProgressThread thread) {
            return (ServedRequest) thread.subject();
        }
        return CURRENT.isBound() ? CURRENT.get() : null;
    }

    /** Runs a handler, or a part of it. On a progress thread this creates no object. */
    static void handle(ServedRequest request, ServiceHandler handler) throws Exception {
        if (Thread.currentThread() instanceof ProgressThread thread) {
            Object outer = thread.subject();
            thread.setSubject(request);
            try {
                handler.handle(request);
            } finally {
                thread.setSubject(outer);
            }
        } else {
            ScopedValue.where(CURRENT, request).<@Nullable Void, Exception>call(() -> {
                handler.handle(request);
                return null;
            });
        }
    }

    /** The time that a request has which is made now: what it asks for, or what the handler's request has left. */
    public static long limit(long timeNs) {
        ServedRequest request = request();
        return request == null ? timeNs : Math.min(timeNs, request.timeLeft().toNanos());
    }

    /**
     * What a request is made with, when an interceptor has seen it.
     *
     * @throws RequestException if the interceptor refuses it
     */
    public static RequestOptions intercepted(
            RequestInterceptor interceptor, Optional<Peer> peer, long tag, RequestOptions options) {
        try {
            return interceptor.request(peer, tag, options);
        } catch (RequestException refused) {
            throw RequestException.beforeHandler(refused.status(), refused.text())
                    .withMessage("request failed: status=" + refused.status() + ", tag=" + tag
                            + ", refused by an interceptor of this node; " + refused.text());
        } catch (RuntimeException thrown) {
            throw RequestException.beforeHandler(
                    RequestStatus.FAILED,
                    "request failed: tag=" + tag + ", an interceptor of this node threw " + thrown);
        }
    }

    /** Has a request that is made now end with the handler's. */
    public static <F extends CompletableFuture<?>> F inherit(F made) {
        ServedRequest request = request();
        if (request != null) {
            request.adopt(made);
        }
        return made;
    }
}
