package io.fairlead.testkit.loopback;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What joins the two endpoints of a connection. Both sides of the handshake come here with the same two addresses, in whatever order, and
 * find each other.
 */
final class Link {
    /**
     * The address of an endpoint.
     *
     * @param worker the number of its worker in this process
     * @param endpoint its number on the worker
     */
    record Address(long worker, int endpoint) implements Comparable<Address> {
        @Override
        public int compareTo(Address other) {
            int byWorker = Long.compare(worker, other.worker);
            return byWorker != 0 ? byWorker : Integer.compare(endpoint, other.endpoint);
        }
    }

    private record Key(Address low, Address high) {
        static Key of(Address one, Address other) {
            return one.compareTo(other) <= 0 ? new Key(one, other) : new Key(other, one);
        }
    }

    /** One end. Its endpoint is its worker's; everything else may be read by both sides. */
    static final class End {
        /** Null before the endpoint is made and after it is closed. Used by its worker's thread only. */
        private @Nullable LoopbackEndpoint endpoint;

        @Nullable LoopbackEndpoint endpoint() {
            return endpoint;
        }
    }

    /** Links of which one end is still missing. */
    private static final Map<Key, Link> HALVES = new ConcurrentHashMap<>();

    private final Key key;
    private final End low = new End();
    private final End high = new End();
    private volatile boolean joined;

    private Link(Key key) {
        this.key = key;
    }

    /** The link between two endpoints, made by whoever comes first. */
    static Link between(Address local, Address peer) {
        Key key = Key.of(local, peer);
        Link made = new Link(key);
        Link found = HALVES.putIfAbsent(key, made);
        if (found == null) {
            return made;
        }
        HALVES.remove(key, found);
        found.joined = true;
        return found;
    }

    /** The end of an endpoint. */
    End end(Address address) {
        return address.equals(key.low) ? low : high;
    }

    /** Whether both ends are there, so that frames find an endpoint. */
    boolean isJoined() {
        return joined;
    }

    void open(Address address, LoopbackEndpoint endpoint) {
        end(address).endpoint = endpoint;
    }

    /** Frames that are still under way to this end will be dropped. */
    void close(Address address) {
        end(address).endpoint = null;
        HALVES.remove(key, this);
    }
}
