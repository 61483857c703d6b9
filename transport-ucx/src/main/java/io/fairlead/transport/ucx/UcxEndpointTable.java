package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The endpoints of one worker by their numbers, and endpoints that the core has closed and UCX has not. */
final class UcxEndpointTable {
    private final MemorySegment errorCallback;
    private final AbandonedEndpoints abandoned;
    private @Nullable UcxEndpoint[] byId = new @Nullable UcxEndpoint[16];
    private final List<UcxEndpoint> closing = new ArrayList<>();
    /** UCX has given up a peer, and the core was not notified. */
    private boolean anyFailed;

    UcxEndpointTable(Arena arena, AbandonedEndpoints abandoned) {
        this.abandoned = abandoned;
        errorCallback = Ucp.callback(
                MethodHandles.lookup(),
                this,
                "peerFailed",
                FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_BYTE),
                arena);
    }

    /** The callback by which UCX reports a peer that it gives up. */
    MemorySegment errorCallback() {
        return errorCallback;
    }

    void add(UcxEndpoint endpoint) {
        int id = endpoint.state().host().id();
        if (id >= byId.length) {
            byId = Arrays.copyOf(byId, Integer.highestOneBit(id) * 2);
        }
        byId[id] = endpoint;
    }

    @Nullable UcxEndpoint find(int id) {
        return id < byId.length ? byId[id] : null;
    }

    /**
     * UCX's callback for peers that it gives up. It must not throw, and must not use the endpoint until UCX has
     * returned.
     */
    @SuppressWarnings("unused")
    private void peerFailed(long id, long handle, byte status) {
        UcxEndpoint failed = find((int) id);
        if (failed != null && failed.state().handle() == handle) {
            failed.state().giveUp(status);
            anyFailed = true;
            return;
        }
        for (UcxEndpoint closed : closing) {
            UcpEndpoint lingering = closed.state().ucp();
            if (lingering != null && closed.state().handle() == handle) {
                lingering.markConnected();
            }
        }
        abandoned.giveUp(handle);
    }

    /** Notifies the core of the peers that UCX has given up; after UCX has returned. */
    void reportFailed() {
        if (!anyFailed) {
            return;
        }
        anyFailed = false;
        for (UcxEndpoint endpoint : byId) {
            if (endpoint != null) {
                endpoint.state().reportGivenUp();
            }
        }
    }

    /** The core has closed an endpoint: its requests end in later progress. */
    void close(UcxEndpoint endpoint) {
        int id = endpoint.state().host().id();
        if (find(id) == endpoint) {
            byId[id] = null;
        }
        closing.add(endpoint);
    }

    /**
     * Ends requests that UCX never will: a receive whose message was cut off stays open forever, because it belongs to
     * the worker and not to the endpoint. Once the worker is idle nothing more can arrive for it.
     */
    void abandon(boolean idle, UcxRequests requests) {
        for (int i = closing.size() - 1; i >= 0; i--) {
            UcxEndpoint endpoint = closing.get(i);
            if (endpoint.isGone(idle)) {
                closing.remove(i);
                requests.abandon(endpoint.state());
            }
        }
    }

    /** Whether UCX has still to connect an endpoint that the core has closed. */
    boolean hasLingering() {
        boolean any = false;
        for (UcxEndpoint endpoint : closing) {
            UcpEndpoint lingering = endpoint.state().ucp();
            any |= lingering != null && !lingering.tryClose();
        }
        return any;
    }
}
