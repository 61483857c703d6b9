package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Connection;
import io.fairlead.spi.Descriptors;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpWorker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A UCX worker. JUCX creates and destroys it. Everything else is downcalls on its handle, including progress, because
 * no callback of JUCX remains that would need a JNI frame.
 */
final class UcxWorker implements TransportWorker {
    private static final Logger LOG = LoggerFactory.getLogger(UcxWorker.class);

    /** The maximum that UCX takes from a queue in one call, and the maximum of one turn. */
    private static final int CALL_MAX = 16;

    private static final int TURN_MAX = 4 * CALL_MAX;
    /** How long a close waits until peers have received the remaining messages of this worker's UCX. */
    private static final long LEAVE_NS = TimeUnit.SECONDS.toNanos(5);

    private final UcxContext context;
    private final UcpWorker worker;
    private final long handle;
    private final WorkerAddress address;
    private final Arena arena = Arena.ofConfined();
    private final OutgoingQueue outgoing;
    private final WorkerParts parts;
    private final UcxRequests requests;
    private final PairingQueue pairingQueue;
    private final AbandonedEndpoints abandoned;
    private final WorkerPairings pairings;
    private final UcxEndpointTable endpoints;
    private final DueParts batches = new DueParts();
    private final DueParts copies = new DueParts();
    private final Arrivals arrivals;
    private final BatchInbox inbox;
    private final WakeupThread waiting;
    private final BusyPause busy = new BusyPause();

    private UcxWorker(UcxContext context, UcpWorker worker, WorkerHost host) {
        this.context = context;
        this.worker = worker;
        this.handle = worker.getNativeId();
        this.outgoing = new OutgoingQueue(handle, !context.lanes().rdma());
        this.abandoned = new AbandonedEndpoints();
        this.endpoints = new UcxEndpointTable(arena, abandoned);
        this.requests = new UcxRequests(handle, arena);
        UnmatchedMessages unmatched = new UnmatchedMessages(handle, requests.unattendedMessage, arena);
        // The number that identifies this worker among all.
        long number = new SecureRandom().nextLong();
        this.pairingQueue = new PairingQueue(abandoned);
        this.pairings = new WorkerPairings(number);
        ByteBuffer packed = worker.getAddress();
        byte[] bytes = new byte[packed.remaining()];
        packed.get(bytes);
        this.address = WorkerAddress.of(number, context.lanes(), context.rdma(), bytes);
        this.parts = new WorkerParts(
                requests,
                new MessagePool(arena),
                unmatched,
                batches,
                copies,
                new KeptMessages(),
                new WireUpParts(
                        address,
                        new UcpEndpoint.Maker(handle, outgoing, endpoints.errorCallback()),
                        pairings,
                        pairingQueue,
                        abandoned,
                        context::portDown),
                context.sharesMemory(),
                new ArrayList<>(0));
        this.arrivals = new Arrivals(unmatched, endpoints);
        this.inbox = new BatchInbox(
                handle, requests.askedReceive, endpoints, arrivals, new RecordArrivals(parts.kept()), arena);
        arrivals.setInbox(inbox);
        this.waiting = new WakeupThread(handle, host);
    }

    static UcxWorker open(UcxContext context, WorkerHost host) {
        UcpWorker worker = newWorker(context);
        if (context.sharesMemory()) {
            SystemVSegment.restrictOwn();
        }
        try {
            return new UcxWorker(context, worker, host);
        } catch (RuntimeException | Error failure) {
            worker.close();
            throw failure;
        }
    }

    /**
     * UCX ends the process if it lacks a descriptor, cannot start its thread, or later lacks memory for a long message.
     * These are checked before.
     */
    private static UcpWorker newWorker(UcxContext context) {
        int free = Descriptors.free();
        if (free < UcxKeys.DESCRIPTORS_MIN) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED, "no UCX worker can be made: " + Descriptors.shortage(free));
        }
        HostLimits limits = new HostLimits(UcxHost.here());
        Diagnosis memory = limits.sharedMemory();
        for (Diagnosis limit : List.of(limits.threads(), memory)) {
            if (limit.level() == Diagnosis.Level.FAILURE) {
                throw new FairleadException(
                        Reason.LIMIT_REACHED,
                        "no UCX worker can be made: " + limit.finding() + "; " + limit.remedy()
                                + ", or leave ucx out of the transports");
            }
        }
        try {
            return context.ucp().newWorker(WorkerParams.ofOneThreadAtATime());
        } catch (UcxException failure) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "ucp_worker_create failed: cause: " + failure.getMessage() + "; here " + memory.finding()
                            + "; start with UCX_LOG_LEVEL=info to see UCX's reason, or leave ucx out of the transports",
                    failure);
        }
    }

    /** The shared parts of its endpoints. */
    WorkerParts parts() {
        return parts;
    }

    @Override
    public byte[] address() {
        return address.encode();
    }

    @Override
    public TransportEndpoint connect(EndpointHost endpointHost, byte[] peerAddress, Connection connection) {
        WorkerAddress peer = WorkerAddress.decode(peerAddress);
        if (peer == null) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "the peer's UCX address is malformed: length=" + peerAddress.length + " bytes");
        }
        Lanes.Route route = context.lanes().route(peer.lanes(), peer.isHere());
        // The core asked for the reach of a connector; a listener's address arrives here first.
        if (peer.isHere() ? !peer.isGenuine() : route == Lanes.Route.NONE) {
            throw new FairleadException(Reason.PROTOCOL_VIOLATION, peer.refusal("connector", "listener"));
        }
        UcxEndpoint endpoint = new UcxEndpoint(parts, endpointHost, peer, route, endpoints::close);
        endpoints.add(endpoint);
        inbox.open();
        return endpoint;
    }

    @Override
    public boolean takesConnection() {
        return false;
    }

    @Override
    public boolean connectsByItself() {
        return true;
    }

    @Override
    public int progress() {
        if (!batches.isEmpty()) {
            int _ = batches.progress();
        }
        // UCX takes in more when the batches that it has taken in are read.
        int worked = inbox.hasUnread() ? 0 : progressUcx();
        int events = requests.hasEnded() ? requests.finishEnded() : 0;
        endpoints.reportFailed();
        int records = inbox.read(worked);
        if (!inbox.hasUnread()) {
            // A batch that is not read precedes messages that have arrived after it.
            events += arrivals.progress(worked, events + inbox.begun());
        } else if (worked > 0) {
            arrivals.noteWork();
        }
        if (worked > events + inbox.begun()) {
            inbox.noteWork();
        }
        events += records;
        if (!copies.isEmpty()) {
            events += copies.progress();
        }
        if (!parts.leaving().isEmpty()) {
            advanceLeaving(worked + events == 0);
        }
        endpoints.abandon(worked + events == 0, requests);
        if (!pairingQueue.isEmpty()) {
            events += pairingQueue.progress();
        }
        if (!abandoned.isEmpty()) {
            abandoned.progress();
        }
        if (pairings.hasHeld()) {
            pairings.progress();
        }
        if (worked + events > 0) {
            busy.reset();
        }
        return Math.max(worked, events);
    }

    private void advanceLeaving(boolean idle) {
        List<LeavableLanes> leaving = parts.leaving();
        for (int i = leaving.size() - 1; i >= 0; i--) {
            if (leaving.get(i).advance(idle)) {
                leaving.remove(i);
            }
        }
    }

    /** As much as a sender may post between two turns, so the backlog does not grow from turn to turn. */
    private int progressUcx() {
        int worked = Ucp.progress(handle);
        for (int last = worked; last >= CALL_MAX && worked < TURN_MAX; worked += last) {
            last = Ucp.progress(handle);
        }
        return worked;
    }

    @Override
    public boolean arm() {
        // UCX signals no event for operations that ended inside their post.
        boolean mayWait = pairingQueue.isEmpty()
                && !pairings.hasHeld()
                && inbox.isIdle()
                && copies.isEmpty()
                && !requests.hasEnded();
        if (!mayWait || (batches.isEmpty() && parts.leaving().isEmpty() && waiting.arm())) {
            return mayWait;
        }
        busy.pause();
        return false;
    }

    private boolean hasLingering() {
        abandoned.progress();
        boolean any = endpoints.hasLingering() || !abandoned.isEmpty();
        if (any) {
            Thread.onSpinWait();
        }
        return any;
    }

    @Override
    public void close() {
        boolean drained = tryDrain();
        CloseSteps.runAll(requests::abandonAll, () -> waiting.close(worker), inbox::close, parts.kept()::close, () -> {
            if (drained) {
                CloseSteps.runAll(worker::close, arena::close);
            } else {
                // UCX still references the arena.
                context.leaveWorker();
            }
        });
    }

    private boolean tryDrain() {
        try {
            long startNs = System.nanoTime();
            for (int i = 0; i < 1000 && !requests.isIdle(); i++) {
                progress();
            }
            return isDrained(startNs);
        } catch (Throwable thrown) {
            LOG.warn("the progress of UCX failed in the close of its worker, which it keeps", thrown);
            return false;
        }
    }

    private static boolean isOver(long startNs) {
        return System.nanoTime() - startNs >= LEAVE_NS;
    }

    /**
     * Empties this worker's queue, which gives its peers capacity for their answers, and lets its own answers be sent.
     */
    private boolean isDrained(long startNs) {
        while (progress() > 0 || mayHoldAnswers()) {
            if (isOver(startNs)) {
                return !mayHoldAnswers();
            }
            Thread.yield();
        }
        return true;
    }

    /**
     * Whether an answer of UCX to a connection message may wait for capacity. The answer of an endpoint whose wire-up
     * has ended was sent, whatever else waits.
     */
    private boolean mayHoldAnswers() {
        return hasLingering() || (pairings.hasPending() && !outgoing.isEmpty());
    }
}
