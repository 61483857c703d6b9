package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.ActiveMessage;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Numbered traffic of every kind from one end of a pair to the other: each message, put, signal and atomic is checked to arrive once, whole and in
 * its order.
 */
final class NumberedTraffic {
    private static final int WINDOW = 8;
    private static final int LENGTH_MAX = 150_000;
    private static final long TAG = 7;
    private static final int ACTIVE = 40;
    private static final int PUT_LENGTH = 100_000;
    private static final int SIGNALLED_LENGTH = 10_000;
    /** The region: a word that atomics count in, and memory that puts fill, without and with signals. */
    private static final long PUT_AT = 64;

    private static final long SIGNALLED_AT = PUT_AT + PUT_LENGTH;

    static final long REGION_LENGTH = SIGNALLED_AT + (long) WINDOW * SIGNALLED_LENGTH;

    private final End from;
    private final End to;
    private final Random random;
    private final MemoryRegion region;
    private final RemoteKey key;
    private final ArrayDeque<MemorySegment> buffers = new ArrayDeque<>();
    private final ArrayDeque<MemorySegment> receives = new ArrayDeque<>();
    private final MemorySegment put;
    private final MemorySegment got;
    private final ArrayDeque<MemorySegment> headers = new ArrayDeque<>();
    private final ArrayDeque<MemorySegment> payloads = new ArrayDeque<>();
    private final MemorySegment[] signalled = new MemorySegment[WINDOW];
    private final MemorySegment activeReceived;
    private long sent;
    private long posted;
    private long received;
    private long activeSent;
    private long activeSeen;
    /** Active messages with a payload that arrives later, and the next of them. */
    private final ArrayDeque<ActiveMessage> announced = new ArrayDeque<>();

    private boolean receivesActive;
    private long signals;
    private long signalsSeen;
    private int signalPuts;
    private long added;
    private long fetched;
    private int atomics;
    private int sends;
    private int actives;
    private long puts;
    /** The put that is under way, its flush or its get. */
    private boolean transferring;
    /** The length of what was put and flushed, and is to be got; else 0. */
    private int gettable;

    private @Nullable AssertionError broken;

    /**
     * Creates it.
     *
     * @param memory native memory of a length, filled with anything
     * @param region memory of the second end, of {@link #REGION_LENGTH} bytes, the first of them 0
     */
    NumberedTraffic(LongFunction<MemorySegment> memory, End from, End to, MemoryRegion region, long seed) {
        this.from = from;
        this.to = to;
        this.region = region;
        this.random = new Random(seed);
        this.key = from.unpack(region);
        this.put = memory.apply(PUT_LENGTH);
        this.got = memory.apply(PUT_LENGTH);
        this.activeReceived = memory.apply(LENGTH_MAX);
        for (int i = 0; i < WINDOW; i++) {
            buffers.add(memory.apply(LENGTH_MAX));
            receives.add(memory.apply(LENGTH_MAX));
            headers.add(memory.apply(8));
            payloads.add(memory.apply(LENGTH_MAX));
            signalled[i] = memory.apply(SIGNALLED_LENGTH);
        }
        to.worker().register(ACTIVE, this::activeArrived);
        to.events().also(new EndpointHandler() {
            @Override
            public void signalled(Endpoint endpoint, long value) {
                if (endpoint.equals(to.endpoint())) {
                    signalArrived(value);
                }
            }
        });
    }

    /** Lets others use the second end's worker. */
    void end() {
        to.worker().unregister(ACTIVE);
    }

    /** How much has arrived, of every kind. */
    long count() {
        return received + activeSeen + fetched + puts + signalsSeen;
    }

    /** Whether nothing is under way. */
    boolean isIdle() {
        check();
        return sends == 0
                && received == sent
                && actives == 0
                && activeSeen == activeSent
                && !receivesActive
                && signalsSeen == signals
                && signalPuts == 0
                && atomics == 0
                && !transferring;
    }

    private void check() {
        if (broken != null) {
            throw broken;
        }
    }

    /** Posts what is due. */
    void post() {
        check();
        postReceives();
        if (sends < WINDOW) {
            send();
        }
        if (actives < WINDOW) {
            sendActive();
        }
        if (atomics < WINDOW) {
            add();
        }
        if (!transferring) {
            put();
        }
        if (signals - signalsSeen < WINDOW && signalPuts < WINDOW) {
            putSignal();
        }
    }

    /** Posts receives for what is under way, and the get of what was put. */
    void postReceives() {
        get();
        while (!receives.isEmpty()) {
            MemorySegment target = receives.remove();
            // Receives match in the order of their posts, and may complete in another.
            long number = posted++;
            to.posted(to.endpoint()
                    .receive(
                            target,
                            0,
                            LENGTH_MAX,
                            TAG,
                            Worker.FULL_TAG_MASK,
                            request -> recorded(to, request, () -> arrived(request, target, number)),
                            0));
        }
    }

    private void arrived(Request request, MemorySegment target, long number) {
        if (request.status() == Status.CLOSED) {
            return;
        }
        assertEquals(Status.OK, request.status());
        assertEquals(number, target.get(ValueLayout.JAVA_LONG, 0), "number of a message");
        Pattern.verify(target, 8, request.length() - 8, number);
        received++;
        receives.add(target);
    }

    private int length() {
        return switch (random.nextInt(8)) {
            case 0 -> 65_000 + random.nextInt(LENGTH_MAX - 65_000);
            case 1, 2 -> 8 + random.nextInt(20_000);
            default -> 8 + random.nextInt(100);
        };
    }

    private void send() {
        MemorySegment buffer = buffers.remove();
        int length = length();
        buffer.set(ValueLayout.JAVA_LONG, 0, sent);
        Pattern.fill(buffer, 8, length - 8, sent);
        boolean synchronous = random.nextInt(4) == 0;
        Completion done = request -> recorded(from, request, () -> {
            assertEquals(Status.OK, request.status());
            sends--;
            buffers.add(buffer);
        });
        long id = synchronous
                ? from.endpoint().sendSynchronous(buffer, 0, length, TAG, done, 0)
                : from.endpoint().send(buffer, 0, length, TAG, done, 0);
        if (isTaken(id)) {
            sends++;
            sent++;
        } else {
            buffers.add(buffer);
        }
    }

    private boolean isTaken(long id) {
        if (id < 0) {
            assertEquals(
                    Status.BACK_PRESSURE,
                    Status.of(id),
                    () -> String.valueOf(from.endpoint().failure()));
            return false;
        }
        from.posted(id);
        return true;
    }

    private void sendActive() {
        MemorySegment header = headers.remove();
        MemorySegment payload = payloads.remove();
        header.set(ValueLayout.JAVA_LONG, 0, activeSent);
        int length = random.nextInt(4) > 0 ? 0 : length();
        Pattern.fill(payload, 0, length, activeSent);
        long id = from.endpoint()
                .sendActive(
                        ACTIVE,
                        header,
                        payload.asSlice(0, length),
                        request -> recorded(from, request, () -> {
                            assertEquals(Status.OK, request.status());
                            actives--;
                            headers.add(header);
                            payloads.add(payload);
                        }));
        if (isTaken(id)) {
            activeSent++;
            actives++;
        } else {
            headers.add(header);
            payloads.add(payload);
        }
    }

    private void activeArrived(ActiveMessage message) {
        try {
            long number = message.header().get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
            assertEquals(activeSeen, number, "number of an active message");
            if (message.isWhole()) {
                Pattern.verify(message.buffer(), message.headerLength(), message.length(), number);
            } else {
                message.keep();
                announced.add(message);
                receiveActive();
            }
            activeSeen++;
        } catch (AssertionError wrong) {
            broken = wrong;
        }
    }

    /** Receives the payloads that wait at their sender, one after the other. */
    private void receiveActive() {
        ActiveMessage message = announced.peek();
        if (receivesActive || message == null) {
            return;
        }
        long number = message.header().get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        long id = message.receive(
                activeReceived,
                0,
                message.length(),
                request -> recorded(to, request, () -> {
                    assertEquals(Status.OK, request.status());
                    Pattern.verify(activeReceived, 0, message.length(), number);
                    receivesActive = false;
                    announced.remove();
                    message.release();
                    receiveActive();
                }),
                0);
        if (id >= 0) {
            receivesActive = true;
            to.posted(id);
        }
    }

    private void putSignal() {
        long number = signals;
        MemorySegment source = signalled[(int) (number % WINDOW)];
        int length = 8 + random.nextInt(random.nextInt(4) == 0 ? SIGNALLED_LENGTH - 8 : 100);
        Pattern.fill(source, 0, length, number);
        // The length travels with the number, which the other end expects.
        long id = from.endpoint()
                .putSignal(
                        source.asSlice(0, length),
                        number << Integer.SIZE | length,
                        key,
                        signalledAt(number),
                        request -> recorded(from, request, () -> {
                            assertEquals(Status.OK, request.status());
                            signalPuts--;
                        }),
                        0);
        if (isTaken(id)) {
            signals++;
            signalPuts++;
            // Without it signals may overtake each other.
            assertEquals(Status.OK.code(), from.endpoint().fence());
        }
    }

    private static long signalledAt(long number) {
        return SIGNALLED_AT + number % WINDOW * SIGNALLED_LENGTH;
    }

    private void signalArrived(long value) {
        try {
            assertEquals(signalsSeen, value >>> Integer.SIZE, "number of a signal");
            Pattern.verify(region.segment(), signalledAt(signalsSeen), value & 0xFFFF_FFFFL, signalsSeen);
            signalsSeen++;
        } catch (AssertionError wrong) {
            broken = wrong;
        }
    }

    private void add() {
        long id = from.endpoint()
                .fetchAdd(
                        1,
                        key,
                        0,
                        request -> recorded(from, request, () -> {
                            assertEquals(Status.OK, request.status());
                            assertEquals(fetched, request.value(), "fetched value");
                            fetched++;
                            atomics--;
                        }));
        if (isTaken(id)) {
            added++;
            atomics++;
        }
    }

    /** Puts, flushes and gets what was put. */
    private void put() {
        Pattern.fill(put, 0, PUT_LENGTH, puts);
        int length = 1 + random.nextInt(random.nextInt(4) == 0 ? PUT_LENGTH : 2_000);
        long id = from.endpoint()
                .put(
                        put,
                        0,
                        length,
                        key,
                        PUT_AT,
                        request -> recorded(from, request, () -> assertEquals(Status.OK, request.status())),
                        0);
        if (!isTaken(id)) {
            return;
        }
        transferring = true;
        from.posted(from.endpoint()
                .flush(flushed -> recorded(from, flushed, () -> {
                    assertEquals(Status.OK, flushed.status());
                    Pattern.verify(region.segment(), PUT_AT, length, puts);
                    gettable = length;
                    get();
                })));
    }

    /** Gets what was put and flushed, if the endpoint takes it now. */
    private void get() {
        int length = gettable;
        if (length == 0) {
            return;
        }
        long id = from.endpoint()
                .get(
                        got,
                        0,
                        length,
                        key,
                        PUT_AT,
                        request -> recorded(from, request, () -> {
                            assertEquals(Status.OK, request.status());
                            Pattern.verify(got, 0, length, puts);
                            puts++;
                            transferring = false;
                        }),
                        0);
        if (isTaken(id)) {
            gettable = 0;
        }
    }

    /** Runs a check inside a completion, which must not throw. */
    private void recorded(End end, Request request, Runnable check) {
        end.recorder().completed(request);
        try {
            check.run();
        } catch (AssertionError wrong) {
            broken = wrong;
        }
    }

    /** Checks the sums when nothing is under way. */
    void verify() {
        assertTrue(isIdle());
        assertEquals(added, fetched);
        assertEquals(added, region.segment().get(ValueLayout.JAVA_LONG, 0), "sum of the atomics");
    }
}
