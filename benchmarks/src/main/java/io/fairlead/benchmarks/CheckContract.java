package io.fairlead.benchmarks;

import io.fairlead.AtomicOperation;
import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.samples.cli.CommandFailure;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What docs/semantics.md promises, in small: a dozen cases between this process and a {@link CheckPeer}. */
final class CheckContract {
    private static final String PART = "contract";
    private static final List<Integer> SIZES = List.of(0, 1, 8, 4096, 64 << 10, CheckSide.LENGTH_MAX);
    private static final int ORDERED = 200;
    private static final int SHORT = 8;
    private static final int LONG = 4096;
    private static final long SIGNAL = 0x5157;
    private static final long REVOKED_LIMIT_S = 30;

    private final PerfConnection connection;
    private final CheckSide side;
    private final Set<Capability> can;
    private final Consumer<CheckReport.Check> told;
    private final Worker worker;
    private final Endpoint endpoint;
    private @Nullable RemoteKey key;

    CheckContract(PerfConnection connection, CheckSide side, Set<Capability> can, Consumer<CheckReport.Check> told) {
        this.connection = connection;
        this.side = side;
        this.can = can;
        this.told = told;
        worker = connection.worker();
        endpoint = connection.endpoint();
    }

    void run() {
        check("messages of 0 B to 1 MiB, there and back", Capability.TAGGED, this::messages);
        check("messages come in their order", Capability.TAGGED, this::order);
        check("a message longer than its buffer", Capability.TAGGED, this::truncation);
        check("a synchronous send waits for its receive", Capability.SYNCHRONOUS_SEND, this::synchronousSend);
        check("a put is there after its flush", Capability.PUT, this::put);
        check("a get brings what was put", Capability.GET, this::get);
        check("a put beyond the region is refused", Capability.PUT, this::bounds);
        check("a put with a signal", Capability.PUT_SIGNAL, this::signal);
        check("add, swap and compare-and-swap", Capability.ATOMIC, this::atomics);
        check("a closed region is refused", Capability.GET, this::revocation);
        check("the connection goes on after all that", Capability.TAGGED, () -> roundTrip(LONG));
    }

    private void check(String name, Capability needed, Supplier<String> body) {
        if (!can.contains(needed)) {
            told.accept(CheckReport.Check.skipped(PART, name, "the transport lacks " + needed));
        } else if (endpoint.state() != EndpointState.CONNECTED) {
            told.accept(CheckReport.Check.skipped(PART, name, "the connection has ended in a check before"));
        } else {
            told.accept(CheckReport.Check.of(PART, name, body));
        }
    }

    private static void expect(boolean asExpected, String what) {
        if (!asExpected) {
            throw CommandFailure.failed(what);
        }
    }

    // --- messages ---

    private String messages() {
        SIZES.forEach(this::roundTrip);
        return SIZES.size() + " sizes";
    }

    private String roundTrip(int length) {
        connection.ask("check-echo " + length);
        CheckSide.Pending back = side.receive(length);
        CheckSide.fill(side.out(), length, length);
        side.send(side.out(), length);
        long received = side.awaitOk("receive", back).length();
        expect(received == length, "wrong length: length=" + received + ", expected=" + length);
        CheckSide.verify(side.in(), length, length);
        connection.hear();
        return length + " B";
    }

    private String order() {
        connection.ask("check-send " + ORDERED + " " + SHORT);
        for (int n = 0; n < ORDERED; n++) {
            side.awaitOk("receive " + n, side.receive(SHORT));
            CheckSide.verify(side.in(), SHORT, n);
        }
        connection.hear();
        return ORDERED + " messages";
    }

    private String truncation() {
        connection.ask("check-send 1 " + LONG);
        CheckSide.Outcome outcome = side.await("receive", side.receive(SHORT));
        expect(
                outcome.status() == Status.TRUNCATED && outcome.length() == LONG,
                "status=" + outcome.status() + ", length=" + outcome.length() + ", expected TRUNCATED and " + LONG);
        CheckSide.verify(side.in(), SHORT, 0);
        connection.hear();
        return "TRUNCATED, with the true length";
    }

    private String synchronousSend() {
        CheckSide.fill(side.out(), LONG, LONG);
        CheckSide.Pending sent =
                side.start(done -> endpoint.sendSynchronous(side.out(), 0, LONG, CheckSide.TAG, done, 0));
        connection.ask("check-nothing");
        expect(!sent.ended(), "it has ended without a receive");
        connection.ask("check-receive " + LONG);
        side.awaitOk("synchronous send", sent);
        connection.hear();
        return "";
    }

    // --- remote memory ---

    /** A key for the peer's region, which is the same for all cases. */
    private RemoteKey key() {
        if (key == null) {
            String answer = connection.ask("check-region");
            key = endpoint.unpack(Base64.getDecoder().decode(answer.split(" ", -1)[1]));
        }
        return key;
    }

    private void putAll(int length, int seed) {
        RemoteKey target = key();
        CheckSide.fill(side.out(), length, seed);
        side.complete("put", done -> endpoint.put(side.out(), 0, length, target, 0, done, 0));
        side.complete("flush", done -> endpoint.flush(done, 0));
    }

    private String put() {
        for (int length : List.of(SHORT, LONG, CheckSide.LENGTH_MAX)) {
            // Another content each time, so that what an earlier put left is not taken for this one's.
            int seed = SIZES.indexOf(length);
            putAll(length, seed);
            connection.ask("check-verify " + length + " " + seed);
        }
        return "8 B to 1 MiB, looked at by their owner";
    }

    private String get() {
        putAll(CheckSide.LENGTH_MAX, 9);
        for (int length : List.of(SHORT, LONG, CheckSide.LENGTH_MAX)) {
            side.in().fill((byte) 0);
            side.complete("get", done -> endpoint.get(side.in(), 0, length, key(), 0, done, 0));
            CheckSide.verify(side.in(), length, 9);
        }
        return "8 B to 1 MiB";
    }

    private String bounds() {
        RemoteKey target = key();
        try {
            CheckSide.Pending refused =
                    side.start(done -> endpoint.put(side.out(), 0, SHORT, target, target.length() - 1, done, 0));
            throw CommandFailure.failed("it was taken: ended=" + refused.ended());
        } catch (IndexOutOfBoundsException expected) {
            return "before it left";
        }
    }

    private String signal() {
        RemoteKey target = key();
        CheckSide.fill(side.out(), LONG, 5);
        side.complete("put", done -> endpoint.putSignal(side.out(), 0, LONG, target, 0, SIGNAL, done, 0));
        String answer = connection.ask("check-signal");
        expect(answer.equals("signal " + SIGNAL), answer + ", expected " + SIGNAL);
        connection.ask("check-verify " + LONG + " 5");
        return "the data is there when the signal comes";
    }

    private String atomics() {
        long before = atomic(AtomicOperation.SWAP, 7, 0);
        String initial = connection.ask("check-word 0");
        expect(initial.equals("word 7"), initial + ", expected 7 after a swap of " + before);
        expectOld(7, atomic(AtomicOperation.ADD, 3, 0));
        expectOld(10, atomic(AtomicOperation.COMPARE_SWAP, 20, 11));
        expectOld(10, atomic(AtomicOperation.COMPARE_SWAP, 20, 10));
        side.complete("flush", done -> endpoint.flush(done, 0));
        String last = connection.ask("check-word 0");
        expect(last.equals("word 20"), last + ", expected 20");
        return "";
    }

    private static void expectOld(long expected, long found) {
        expect(found == expected, "the word before was " + found + ", expected " + expected);
    }

    private long atomic(AtomicOperation operation, long operand, long compare) {
        return side.complete(
                        operation.toString(), done -> endpoint.atomic(operation, operand, compare, key(), 0, done, 0))
                .value();
    }

    /** Waits for the notice first: an operation that passes it would reach the network card, which may end the whole connection. */
    private String revocation() {
        RemoteKey closed = key();
        connection.ask("check-revoke");
        expect(
                Dialogue.await(worker, closed::revoked, TimeUnit.SECONDS.toNanos(REVOKED_LIMIT_S)),
                "no notice of it within " + REVOKED_LIMIT_S + " s");
        Status status = side.await("get", side.start(done -> endpoint.get(side.in(), 0, SHORT, closed, 0, done, 0)))
                .status();
        expect(status == Status.REVOKED, "the get ended with " + status + ", expected REVOKED");
        return "REVOKED";
    }
}
