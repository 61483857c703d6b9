package io.fairlead.testkit.contract;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.spi.LayerHandler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An endpoint handler that records every call, and checks the order that {@link EndpointHandler} promises: at most one connected, then signals, then
 * one end, after every operation in flight has completed. Thread-safe.
 */
public final class Events implements LayerHandler {
    private final Recorder recorder;
    private final Thread owner;
    private final List<Event> all = new ArrayList<>();
    private final Set<Endpoint> ended = new HashSet<>();
    private final Set<Endpoint> connected = new HashSet<>();
    private final Map<Endpoint, Integer> peerFeatures = new HashMap<>();
    private EndpointHandler also = NONE;
    private int features;

    Events(Recorder recorder, Thread owner) {
        this.recorder = recorder;
        this.owner = owner;
    }

    /**
     * Adds a handler that gets every later call too, after the call is recorded.
     *
     * @param handler the other handler
     */
    public synchronized void also(EndpointHandler handler) {
        also = handler;
    }

    /**
     * Sets the feature bits that the handler sends to peers from now on.
     *
     * @param bits 16 bits
     */
    public synchronized void features(int bits) {
        features = bits;
    }

    /**
     * The feature bits that the handler of an endpoint's peer has sent.
     *
     * @param endpoint an endpoint that is or was connected
     * @return 16 bits
     */
    public synchronized int peerFeatures(Endpoint endpoint) {
        return peerFeatures.getOrDefault(endpoint, -1);
    }

    @Override
    public synchronized int features() {
        return features;
    }

    @Override
    public void connected(Endpoint endpoint, int bits) {
        synchronized (this) {
            peerFeatures.put(endpoint, bits);
        }
        connected(endpoint);
    }

    @Override
    public void connected(Endpoint endpoint) {
        record(new Event(Event.Kind.CONNECTED, endpoint, 0, Optional.empty())).connected(endpoint);
    }

    @Override
    public void signalled(Endpoint endpoint, long value) {
        record(new Event(Event.Kind.SIGNALLED, endpoint, value, Optional.empty()))
                .signalled(endpoint, value);
    }

    @Override
    public void closed(Endpoint endpoint) {
        record(new Event(Event.Kind.CLOSED, endpoint, 0, Optional.empty())).closed(endpoint);
    }

    @Override
    public void failed(Endpoint endpoint, FairleadException cause) {
        record(new Event(Event.Kind.FAILED, endpoint, 0, Optional.of(cause))).failed(endpoint, cause);
    }

    private synchronized EndpointHandler record(Event event) {
        Endpoint endpoint = event.endpoint();
        all.add(event);
        if (!Thread.currentThread().equals(owner)) {
            recorder.violation(
                    "handler called on thread " + Thread.currentThread().getName() + ": " + event);
        }
        if (ended.contains(endpoint)) {
            recorder.violation("handler called after the endpoint's end: " + event);
        }
        switch (event.kind()) {
            case CONNECTED -> {
                if (!connected.add(endpoint)) {
                    recorder.violation("connected twice: " + event);
                }
            }
            case SIGNALLED -> {
                if (!connected.contains(endpoint)) {
                    recorder.violation("signalled before connected: " + event);
                }
            }
            case CLOSED, FAILED -> {
                ended.add(endpoint);
                int outstanding = recorder.outstanding(endpoint);
                if (outstanding > 0) {
                    recorder.violation("ended with " + outstanding + " operations in flight: " + event);
                }
            }
        }
        return also;
    }

    /**
     * All calls, in their order.
     *
     * @return a copy
     */
    public synchronized List<Event> all() {
        return List.copyOf(all);
    }

    /**
     * The calls for one endpoint, in their order.
     *
     * @param endpoint the endpoint
     * @return a copy
     */
    public synchronized List<Event> of(Endpoint endpoint) {
        return all.stream().filter(event -> event.endpoint().equals(endpoint)).toList();
    }

    /**
     * The number of calls of a kind.
     *
     * @param kind the kind
     * @return 0 and up
     */
    public synchronized int count(Event.Kind kind) {
        int count = 0;
        for (Event event : all) {
            if (event.kind() == kind) {
                count++;
            }
        }
        return count;
    }

    /**
     * The values of the signals to an endpoint, in their order.
     *
     * @param endpoint the endpoint
     * @return a copy
     */
    public synchronized List<Long> signals(Endpoint endpoint) {
        return all.stream()
                .filter(event -> event.endpoint().equals(endpoint) && event.kind() == Event.Kind.SIGNALLED)
                .map(Event::value)
                .toList();
    }

    /**
     * Whether an endpoint has ended, by a close or a failure.
     *
     * @param endpoint the endpoint
     * @return true after that call
     */
    public synchronized boolean ended(Endpoint endpoint) {
        return ended.contains(endpoint);
    }

    /** Forgets the calls for endpoints that have ended, so that the garbage collector can take the endpoints. */
    synchronized void clear() {
        all.removeIf(event -> ended.contains(event.endpoint()));
        connected.removeAll(ended);
        peerFeatures.keySet().removeAll(ended);
        ended.clear();
    }

    /**
     * The endpoint that was connected last.
     *
     * @return the endpoint
     * @throws AssertionError if there was none
     */
    public synchronized Endpoint lastConnected() {
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).kind() == Event.Kind.CONNECTED) {
                return all.get(i).endpoint();
            }
        }
        throw new AssertionError("no endpoint was connected: events=" + all);
    }
}
