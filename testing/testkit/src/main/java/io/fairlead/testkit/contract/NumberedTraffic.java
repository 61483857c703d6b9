package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.ActiveMessage;
import io.fairlead.Completion;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Numbered traffic of every kind from one end of a pair to the other: each message, put and atomic is checked to arrive once, whole and in its order.
 */
final class NumberedTraffic {
    private static final int WINDOW = 8;
    private static final int LENGTH_MAX = 150_000;
    private static final long TAG = 7;
    private static final int ACTIVE = 40;
    private static final int PUT_LENGTH = 100_000;
    /** The region: a word that atomics count in, and memory that puts fill. */
    private static final long PUT_AT = 64;

    static final long REGION_LENGTH = PUT_AT + PUT_LENGTH;

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
    private long sent;
    private long posted;
    private long received;
    private long activeSent;
    private long activeSeen;
    private long added;
    private long fetched;
    private int atomics;
    private int sends;
    private int actives;
    private long puts;
    /** The put that is under way, its flush or its get. */
    private boolean transferring;

    private @Nullable AssertionError broken;

    NumberedTraffic(TransportContract suite, End from, End to, MemoryRegion region, long seed) {
        this.from = from;
        this.to = to;
        this.region = region;
        this.random = new Random(seed);
        this.key = from.unpack(region);
        this.put = suite.buffer(PUT_LENGTH);
        this.got = suite.buffer(PUT_LENGTH);
        for (int i = 0; i < WINDOW; i++) {
            buffers.add(suite.buffer(LENGTH_MAX));
            receives.add(suite.buffer(LENGTH_MAX));
            headers.add(suite.buffer(8));
        }
        to.worker().register(ACTIVE, this::activeArrived);
    }

    /** How much has arrived, of every kind. */
    long count() {
        return received + activeSeen + fetched + puts;
    }

    /** Whether nothing is under way. */
    boolean isIdle() {
        check();
        return sends == 0
                && received == sent
                && actives == 0
                && activeSeen == activeSent
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
    }

    /** Posts receives for what is under way. */
    void postReceives() {
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
        header.set(ValueLayout.JAVA_LONG, 0, activeSent);
        long id = from.endpoint()
                .sendActive(
                        ACTIVE,
                        header,
                        MemorySegment.NULL,
                        request -> recorded(from, request, () -> {
                            assertEquals(Status.OK, request.status());
                            actives--;
                            headers.add(header);
                        }));
        if (isTaken(id)) {
            activeSent++;
            actives++;
        } else {
            headers.add(header);
        }
    }

    private void activeArrived(ActiveMessage message) {
        try {
            assertEquals(
                    activeSeen,
                    message.header().get(ValueLayout.JAVA_LONG_UNALIGNED, 0),
                    "number of an active message");
            activeSeen++;
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
                    from.posted(from.endpoint()
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
                                    0));
                })));
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
