package io.fairlead.testkit.loopback;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Connection;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A worker: an inbox that peers on any thread fill, and the endpoints that empty it on the owner's thread. */
final class LoopbackWorker implements TransportWorker {
    private static final Map<Long, LoopbackWorker> WORKERS = new ConcurrentHashMap<>();
    private static final AtomicLong NEXT_ID = new AtomicLong(1);

    private final long id = NEXT_ID.getAndIncrement();
    private final FrameQueue inbox;
    /** Endpoints with something to send that found the peer's queue full. */
    private final Set<LoopbackEndpoint> busy = new LinkedHashSet<>();

    LoopbackWorker(WorkerHost host, int inboxMax) {
        this.inbox = new FrameQueue(inboxMax, host::wakeup);
        WORKERS.put(id, this);
    }

    @Override
    public byte[] address() {
        return WorkerAddress.ofThisProcess(id).encode();
    }

    @Override
    public TransportEndpoint connect(EndpointHost host, byte[] peerAddress, Connection connection) {
        WorkerAddress peer = WorkerAddress.decode(peerAddress);
        LoopbackWorker peerWorker = peer != null && peer.isOfThisProcess() ? WORKERS.get(peer.worker()) : null;
        if (peer == null || peerWorker == null) {
            throw new FairleadException(
                    Reason.TRANSPORT,
                    "peer's worker is not in this process, or closed: endpoint=" + host.label() + ", address=" + peer
                            + "; connect again");
        }
        Link.Address local = new Link.Address(id, host.id());
        Link.Address remote = new Link.Address(peer.worker(), host.sourceId());
        return new LoopbackEndpoint(this, host, local, remote, peerWorker.inbox);
    }

    @Override
    public boolean takesConnection() {
        return false;
    }

    @Override
    public int progress() {
        int events = 0;
        // No more than there is now, so that a peer that never pauses cannot hold the owner in here.
        for (int left = inbox.size(); left > 0; left--) {
            FrameQueue.Delivery delivery = inbox.poll();
            if (delivery == null) {
                break;
            }
            LoopbackEndpoint endpoint = delivery.end().endpoint();
            if (endpoint != null) {
                receive(endpoint, delivery.frame());
                events++;
            }
        }
        return busy.isEmpty() ? events : events + pushBusy();
    }

    private int pushBusy() {
        int events = 0;
        for (LoopbackEndpoint endpoint : List.copyOf(busy)) {
            events += push(endpoint);
            if (!endpoint.hasMore()) {
                busy.remove(endpoint);
            }
        }
        return events;
    }

    /** What goes wrong with one endpoint ends no other. */
    private static void receive(LoopbackEndpoint endpoint, LoopbackFrame frame) {
        try {
            endpoint.received(frame);
        } catch (RuntimeException | Error thrown) {
            endpoint.failThrown(thrown);
        }
    }

    private static int push(LoopbackEndpoint endpoint) {
        try {
            return endpoint.push();
        } catch (RuntimeException | Error thrown) {
            endpoint.failThrown(thrown);
            return 1;
        }
    }

    /** The endpoint will be asked to push in the next progress. */
    void busy(LoopbackEndpoint endpoint) {
        busy.add(endpoint);
    }

    void closed(LoopbackEndpoint endpoint) {
        busy.remove(endpoint);
    }

    @Override
    public boolean arm() {
        // Nothing reports when a peer's full inbox has capacity again, so an owner who waits for that does not block.
        return busy.isEmpty() && inbox.arm();
    }

    @Override
    public void close() {
        WORKERS.remove(id);
        inbox.close();
    }
}
