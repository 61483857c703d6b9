package io.fairlead.services;

import io.fairlead.node.Peer;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceRequest;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The streams of one method: opens them, gives their subscribers what they ask for, and ends those that nobody reads. Thread-safe. */
final class ServedStreams {
    /** A request for items waits no longer, so that a draining node need not wait for a stream without items. */
    private static final long POLL_NS = 1_000_000_000;

    private static final long TICK_MS = 100;
    private static final byte[] NOTHING = {};

    private final ServiceMethod method;
    private final ServedMethod served;
    private final MethodCoders coders;
    private final ServeOptions options;
    private final CallHead nextHead;
    private final CallHead creditHead;
    private final CallHead cancelHead;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Peer, OfPeer> peers = new ConcurrentHashMap<>();
    private final AtomicBoolean ticking = new AtomicBoolean();
    private volatile boolean closed;

    ServedStreams(
            ServiceMethod method, ServedMethod served, PayloadCodec codec, MethodCoders coders, ServeOptions options) {
        this.method = method;
        this.served = served;
        this.coders = coders;
        this.options = options;
        this.nextHead = new CallHead(CallHead.NEXT, codec);
        this.creditHead = new CallHead(CallHead.CREDIT, codec);
        this.cancelHead = new CallHead(CallHead.CANCEL, codec);
    }

    /** The streams of one peer. */
    private static final class OfPeer {
        private final Map<Long, ServedStream> streams = new HashMap<>();
        private boolean gone;

        synchronized boolean tryAdd(long number, ServedStream stream, int max) {
            if (gone || streams.size() >= max) {
                return false;
            }
            streams.put(number, stream);
            return true;
        }

        synchronized void remove(long number) {
            streams.remove(number);
        }

        synchronized @Nullable ServedStream find(long number) {
            return streams.get(number);
        }

        synchronized List<ServedStream> all() {
            return List.copyOf(streams.values());
        }

        synchronized int count() {
            return streams.size();
        }

        void leave() {
            synchronized (this) {
                gone = true;
            }
            all().forEach(stream -> stream.end(new RequestException(RequestStatus.UNAVAILABLE, "the peer has gone")));
        }
    }

    /** Answers a request to open a stream. */
    void open(ServiceRequest request) throws Exception {
        OfPeer ofPeer = ofPeer(request.source());
        long number = numbers.incrementAndGet();
        ServedStream stream = new ServedStream(served, coders, options.streamBytes(), () -> ofPeer.remove(number));
        if (!ofPeer.tryAdd(number, stream, options.streamsMax())) {
            throw new RequestException(
                    RequestStatus.RESOURCE_EXHAUSTED,
                    "the peer has as many streams of " + method.name() + " as the service gives it: streams="
                            + options.streamsMax() + "; cancel some, or raise ServeOptions.streamsMax");
        }
        boolean opened = false;
        try {
            subscribe(served.call(request), stream);
            request.reply(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
            opened = true;
        } finally {
            if (!opened || closed) {
                stream.end(new RequestException(RequestStatus.UNAVAILABLE, "the service has closed"));
            }
        }
        startTicking();
    }

    @SuppressWarnings("unchecked")
    private void subscribe(@Nullable Object returned, ServedStream stream) {
        if (returned == null) {
            throw new RequestException(RequestStatus.FAILED, method.name() + " has returned null; return a publisher");
        }
        ((Flow.Publisher<Object>) returned).subscribe(stream);
    }

    private OfPeer ofPeer(Peer peer) {
        OfPeer known = peers.get(peer);
        if (known != null) {
            return known;
        }
        OfPeer created = new OfPeer();
        OfPeer other = peers.putIfAbsent(peer, created);
        if (other != null) {
            return other;
        }
        peer.onClosed(_ -> {
            peers.remove(peer, created);
            created.leave();
        });
        return created;
    }

    /** Answers a request of an open stream's subscriber. */
    void next(ServiceRequest request) {
        MemorySegment message = request.segment();
        boolean cancels = cancelHead.isKindOf(message);
        boolean credits = creditHead.isKindOf(message);
        MemorySegment body = (cancels ? cancelHead : credits ? creditHead : nextHead).behind(message);
        if (body.byteSize() != (cancels ? Long.BYTES : Long.BYTES + Integer.BYTES)) {
            throw new RequestException(
                    RequestStatus.INVALID_ARGUMENT,
                    "a request of a stream's subscriber has length=" + message.byteSize() + " bytes");
        }
        OfPeer ofPeer = peers.get(request.source());
        ServedStream stream = ofPeer == null ? null : ofPeer.find(body.get(CallHead.LONG, 0));
        if (cancels) {
            if (stream != null) {
                stream.end(new RequestException(RequestStatus.CANCELLED, "the subscriber has cancelled"));
            }
            request.reply(NOTHING);
            return;
        }
        int more = body.get(CallHead.INT, Long.BYTES);
        if (more < 0) {
            throw new RequestException(RequestStatus.INVALID_ARGUMENT, "a request for items asks for items=" + more);
        }
        if (stream == null) {
            throw new RequestException(
                    RequestStatus.NOT_FOUND,
                    "the stream has ended: it was idle for more than " + options.streamIdle()
                            + ", or the service has closed; call " + method.name() + " again");
        }
        if (credits) {
            stream.credit(more);
            request.reply(NOTHING);
        } else {
            stream.next(request, more);
        }
    }

    int count() {
        return peers.values().stream().mapToInt(OfPeer::count).sum();
    }

    /** Ends all of them. */
    void close() {
        closed = true;
        for (OfPeer ofPeer : peers.values()) {
            for (ServedStream stream : ofPeer.all()) {
                stream.end(
                        new RequestException(RequestStatus.UNAVAILABLE, "the service has closed; call it elsewhere"));
            }
        }
    }

    /** One virtual thread looks after the streams while there are any: nobody closes it, because a node does not report its end. */
    private void startTicking() {
        if (ticking.compareAndSet(false, true)) {
            Thread.ofVirtual().name("fairlead-streams").start(this::tick);
        }
    }

    private void tick() {
        long idleNs = options.streamIdle().toNanos();
        long pauseMs = Math.max(1, Math.min(TICK_MS, options.streamIdle().toMillis() / 4));
        do {
            try {
                Thread.sleep(pauseMs);
            } catch (InterruptedException interrupted) {
                // Nobody has this thread to interrupt it.
                Thread.currentThread().interrupt();
            }
            long nowNs = System.nanoTime();
            for (OfPeer ofPeer : peers.values()) {
                ofPeer.all().forEach(stream -> stream.tick(nowNs, POLL_NS, idleNs));
            }
        } while (mustTick());
    }

    private boolean mustTick() {
        if (count() > 0) {
            return true;
        }
        ticking.set(false);
        return count() > 0 && ticking.compareAndSet(false, true);
    }
}
