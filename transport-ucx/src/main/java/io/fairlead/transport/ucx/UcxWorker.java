package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.Connection;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A UCX worker. JUCX makes the progress, because its callbacks need a JNI frame; everything else of the data path is a downcall on
 * the worker's handle.
 *
 * <p>A message's UCX tag is the receiver's 16-bit endpoint number above the application's 48 bits. Number 0 belongs to no
 * endpoint: under it travel signals, whose low bits name the endpoint.
 */
final class UcxWorker implements TransportWorker {
    private static final Logger LOG = LoggerFactory.getLogger(UcxWorker.class);
    private static final int SOURCE_SHIFT = 48;
    private static final long TAG_MASK = (1L << SOURCE_SHIFT) - 1;
    /** Arrivals per progress: receives come before a flood. */
    private static final int ARRIVALS_MAX = 64;

    private final WorkerHost host;
    private final UcpWorker worker;
    private final long handle;
    private final byte[] address;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment info = arena.allocate(Ucp.INFO_SIZE, Long.BYTES);
    private final Map<Integer, UcxEndpoint> endpoints = new HashMap<>();
    private final List<Flight> flights = new ArrayList<>();
    private final List<Flight> pool = new ArrayList<>();
    private final List<UcxEndpoint> closing = new ArrayList<>();
    private UcxEndpoint[] byId = new UcxEndpoint[16];

    UcxWorker(UcpContext context, WorkerHost host) {
        this.host = host;
        this.worker = context.newWorker(new UcpWorkerParams());
        this.handle = worker.getNativeId();
        ByteBuffer packed = worker.getAddress();
        byte[] bytes = new byte[packed.remaining()];
        packed.get(bytes);
        this.address = WorkerAddress.of(bytes).encode();
    }

    long handle() {
        return handle;
    }

    UcpWorker ucpWorker() {
        return worker;
    }

    WorkerHost host() {
        return host;
    }

    @Override
    public byte[] address() {
        return address.clone();
    }

    @Override
    public TransportEndpoint connect(EndpointHost endpointHost, byte[] peerAddress, Connection connection) {
        WorkerAddress peer = WorkerAddress.decode(peerAddress);
        if (peer == null) {
            throw new FairleadException(Reason.PROTOCOL_VIOLATION, "the peer's UCX address is malformed: length="
                    + peerAddress.length + " bytes");
        }
        UcxEndpoint endpoint = new UcxEndpoint(this, endpointHost, peer.address());
        int id = endpointHost.id();
        if (id >= byId.length) {
            byId = Arrays.copyOf(byId, Integer.highestOneBit(id) * 2);
        }
        byId[id] = endpoint;
        endpoints.put(id, endpoint);
        return endpoint;
    }

    @Override
    public boolean takesConnection() {
        return false;
    }

    @Override
    public int progress() {
        int events = ucpProgress();
        events += arrivals();
        events += poll();
        if (!closing.isEmpty()) {
            abandon(events);
        }
        return events;
    }

    private int ucpProgress() {
        try {
            return worker.progress();
        } catch (Exception thrown) {
            // No callback of ours throws, so this would be JUCX itself; the operations it concerned end by their status.
            LOG.error("JUCX threw from progress", thrown);
            return 1;
        }
    }

    /** Takes every message that has come in to the core's matching. */
    private int arrivals() {
        int count = 0;
        while (count < ARRIVALS_MAX) {
            long message = Ucp.claimAny(handle, info);
            if (message == 0) {
                return count;
            }
            count++;
            long tag = info.get(ValueLayout.JAVA_LONG, Ucp.INFO_TAG);
            long length = info.get(ValueLayout.JAVA_LONG, Ucp.INFO_LENGTH);
            int id = (int) (tag >>> SOURCE_SHIFT);
            if (id == 0) {
                receiveSignal(message, length, (int) (tag & 0xFFFF));
            } else {
                announce(message, id, tag & TAG_MASK, length);
            }
        }
        return count;
    }

    private void announce(long message, int id, long tag, long length) {
        UcxEndpoint endpoint = id < byId.length ? byId[id] : null;
        if (endpoint == null) {
            discard(message, length);
            return;
        }
        endpoint.host().heard();
        boolean eager = length <= endpoint.host().eagerMax();
        Arrival arrival =
                endpoint.host().arrived(tag, length, eager ? Arrival.Place.EAGER : Arrival.Place.SENDER);
        if (arrival == null) {
            discard(message, length);
            return;
        }
        arrival.word = message;
        if (arrival.operation() != null) {
            deliver(endpoint, arrival);
        } else if (eager) {
            arrival.whole();
        }
    }

    /** Brings a message into its receive's buffer. */
    void deliver(UcxEndpoint endpoint, Arrival arrival) {
        Operation receive = Objects.requireNonNull(arrival.operation(), "operation");
        Flight flight = take(Flight.Kind.RECEIVE, endpoint, receive, arrival.length());
        long target = receive.buffer().address() + receive.offset();
        if (arrival.length() > receive.length()) {
            // UCX drops a message that is too long; its beginning is wanted.
            Arena spill = Arena.ofConfined();
            flight.spill = spill;
            flight.spilled = spill.allocate(arrival.length());
            target = flight.spilled.address();
        }
        posted(flight, Ucp.receiveMessage(handle, target, arrival.length(), arrival.word));
    }

    void discard(long message, long length) {
        Flight flight = take(Flight.Kind.DISCARD, null, null, length);
        posted(flight, Ucp.receiveMessage(handle, flight.operandAddress(), 0, message));
    }

    private void receiveSignal(long message, long length, int id) {
        Flight flight = take(Flight.Kind.DISCARD, null, null, length);
        UcxEndpoint endpoint = id < byId.length ? byId[id] : null;
        long room = Math.min(length, Long.BYTES);
        long answer = Ucp.receiveMessage(handle, flight.operandAddress(), room, message);
        if (answer == 0 && endpoint != null && length == Long.BYTES) {
            endpoint.host().signalled(flight.words.get(ValueLayout.JAVA_LONG, 0));
        }
        posted(flight, answer);
    }

    void sendSignal(UcxEndpoint endpoint, long value) {
        Flight flight = take(Flight.Kind.SIGNAL, endpoint, null, Long.BYTES);
        flight.operands(value, 0);
        posted(
                flight,
                Ucp.tagSend(endpoint.handle(), flight.operandAddress(), Long.BYTES, endpoint.host().sourceId()));
    }

    Flight take(
            Flight.Kind kind,
            @Nullable UcxEndpoint endpoint,
            @Nullable Operation operation,
            long length) {
        Flight flight = pool.isEmpty() ? new Flight(arena) : pool.removeLast();
        flight.kind = kind;
        flight.endpoint = endpoint;
        flight.operation = operation;
        flight.length = length;
        return flight;
    }

    /** A call has answered: the request has ended, failed or flies. */
    void posted(Flight flight, long answer) {
        if (answer == 0) {
            land(flight, Ucp.OK);
        } else if (Ucp.isError(answer)) {
            land(flight, (byte) answer);
        } else {
            flight.request = answer;
            flights.add(flight);
            if (flight.endpoint != null) {
                flight.endpoint.flightBegan();
            }
        }
    }

    private int poll() {
        int count = 0;
        for (int i = 0; i < flights.size(); ) {
            Flight flight = flights.get(i);
            byte status = Ucp.status(flight.request);
            if (status == Ucp.IN_PROGRESS) {
                i++;
                continue;
            }
            removeFlight(i);
            Ucp.free(flight.request);
            ended(flight, status);
            count++;
        }
        return count;
    }

    private void removeFlight(int index) {
        Flight last = flights.removeLast();
        if (index < flights.size()) {
            flights.set(index, last);
        }
    }

    private void ended(Flight flight, byte status) {
        if (flight.endpoint != null) {
            flight.endpoint.flightEnded();
        }
        land(flight, status);
    }

    /** What a request was for is done, or has failed. */
    private void land(Flight flight, byte status) {
        UcxEndpoint endpoint = flight.endpoint;
        Operation operation = flight.operation;
        if (status != Ucp.OK && status != Ucp.MESSAGE_TRUNCATED && endpoint != null) {
            endpoint.failed(status);
        }
        switch (flight.kind) {
            case PLAIN, RECEIVE -> {
                MemorySegment spilled = flight.spilled;
                Operation done = Objects.requireNonNull(operation, "operation");
                if (spilled != null && status == Ucp.OK) {
                    MemorySegment.copy(spilled, 0, done.buffer(), done.offset(), done.length());
                }
                done.complete(status == Ucp.OK ? Status.OK : Status.CANCELLED, flight.length);
            }
            case ATOMIC ->
                Objects.requireNonNull(operation, "operation")
                        .complete(status == Ucp.OK ? Status.OK : Status.CANCELLED, Long.BYTES, flight.reply());
            case SIGNAL_FLUSH -> {
                UcxEndpoint target = Objects.requireNonNull(endpoint, "endpoint");
                if (status == Ucp.OK && !target.closed()) {
                    sendSignal(target, flight.signal);
                }
            }
            case DRAIN -> Objects.requireNonNull(endpoint, "endpoint").drainEnded();
            case DISCARD, SIGNAL -> {}
        }
        flight.clear();
        pool.add(flight);
    }

    /** The core has closed an endpoint: its requests end in later progress. */
    void closing(UcxEndpoint endpoint) {
        int id = endpoint.host().id();
        if (byId[id] == endpoint) {
            byId[id] = null;
        }
        endpoints.remove(id, endpoint);
        closing.add(endpoint);
    }

    /**
     * Ends what UCX will not: a receive whose message was cut off in the middle stays open for ever, because it belongs to the worker and
     * not to the endpoint. Once the worker is idle nothing more can arrive for it.
     */
    private void abandon(int events) {
        for (int i = closing.size() - 1; i >= 0; i--) {
            UcxEndpoint endpoint = closing.get(i);
            if (endpoint.abandonNow(events == 0)) {
                closing.remove(i);
                abandonFlights(endpoint);
            }
        }
    }

    private void abandonFlights(UcxEndpoint endpoint) {
        for (int i = flights.size() - 1; i >= 0; i--) {
            Flight flight = flights.get(i);
            if (flight.endpoint == endpoint) {
                Ucp.cancel(handle, flight.request);
                removeFlight(i);
                Ucp.free(flight.request);
                ended(flight, Ucp.CANCELED);
            }
        }
    }

    @Override
    public boolean arm() {
        return false;
    }

    @Override
    public void close() {
        for (int i = 0; i < 1000 && (!closing.isEmpty() || !flights.isEmpty()); i++) {
            progress();
        }
        for (Flight flight : flights) {
            Ucp.cancel(handle, flight.request);
        }
        ucpProgress();
        worker.close();
        for (Flight flight : flights) {
            flight.clear();
        }
        arena.close();
    }
}
