package io.fairlead.node.internal.request;

import io.fairlead.Endpoint;
import io.fairlead.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Posts what the requests of one peer send, in order, and queues what has to wait. The queue is no longer than the number of requests of both
 * sides. Belongs to the loop's thread.
 */
final class RequestPosts {
    private final Deque<RequestPost> waiting = new ArrayDeque<>();

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Lets a post wait, behind all others. */
    void add(RequestPost post) {
        waiting.add(post);
    }

    /** Forgets a post; false if it does not wait. */
    boolean remove(RequestPost post) {
        return waiting.remove(post);
    }

    /** Posts at once, unless others wait. Returns false if it is the first that has to wait. */
    boolean tryPost(RequestPost post, Endpoint connection) {
        if (!waiting.isEmpty()) {
            waiting.add(post);
            return true;
        }
        if (hasLeft(post, connection)) {
            return true;
        }
        waiting.add(post);
        return false;
    }

    /** Posts what waits. Returns true if nothing is left. */
    boolean retry(Endpoint connection) {
        while (!waiting.isEmpty() && hasLeft(waiting.element(), connection)) {
            waiting.remove();
        }
        return waiting.isEmpty();
    }

    private static boolean hasLeft(RequestPost post, Endpoint connection) {
        long posted = post.post(connection);
        if (posted == Endpoint.BACK_PRESSURE && post.mayWait()) {
            return false;
        }
        if (posted < 0) {
            post.notPosted(Status.of(posted));
        }
        return true;
    }

    /** Gives up the requests that wait, and nothing else. */
    void failRequests(Consumer<NodeRequest> failing) {
        List<NodeRequest> requests = new ArrayList<>();
        waiting.removeIf(post -> post instanceof NodeRequest request && requests.add(request));
        requests.forEach(failing);
    }

    /** Runs an action for each request that waits. */
    void forEachRequest(Consumer<NodeRequest> action) {
        for (RequestPost post : waiting) {
            if (post instanceof NodeRequest request) {
                action.accept(request);
            }
        }
    }

    /**
     * Gives up what waits.
     *
     * @param isConnecting whether requests that wait for a connection are kept
     */
    void failAll(Status status, boolean isConnecting) {
        List<RequestPost> all = new ArrayList<>(waiting);
        waiting.clear();
        for (RequestPost post : all) {
            if (isConnecting && post instanceof NodeRequest request && request.waitsForConnection()) {
                waiting.add(post);
            } else {
                post.notPosted(status);
            }
        }
    }

    /** Ends the requests that are past their deadline. Returns the least remaining time of the others, {@link Long#MAX_VALUE} if there are none. */
    long expire(long nowNs) {
        long earliestNs = Long.MAX_VALUE;
        Iterator<RequestPost> each = waiting.iterator();
        while (each.hasNext()) {
            if (each.next() instanceof NodeRequest request) {
                if (request.dueNs - nowNs <= 0) {
                    each.remove();
                    request.expireUnsent();
                } else {
                    earliestNs = Math.min(earliestNs, request.dueNs - nowNs);
                }
            }
        }
        return earliestNs;
    }
}
