package io.fairlead.cli.check;

import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.perf.Dialogue;
import io.fairlead.cli.perf.PerfConnection;
import java.lang.foreign.MemorySegment;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
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

    /** A case, by what it promises. */
    private record Case(String name, Capability needed, Function<CheckContract, String> body) {}

    private static final List<Case> CASES = List.of(
            new Case("messages of 0 B to 1 MiB, there and back", Capability.TAGGED, CheckContract::messages),
            new Case("messages come in their order", Capability.TAGGED, CheckContract::order),
            new Case("a message longer than its buffer", Capability.TAGGED, CheckContract::truncation),
            new Case(
                    "a synchronous send waits for its receive",
                    Capability.SYNCHRONOUS_SEND,
                    CheckContract::synchronousSend),
            new Case("a put is there after its flush", Capability.PUT, CheckContract::put),
            new Case("a get brings what was put", Capability.GET, CheckContract::get),
            new Case("a put beyond the region is refused", Capability.PUT, CheckContract::bounds),
            new Case("a put with a signal", Capability.PUT_SIGNAL, CheckContract::signal),
            new Case("add, swap and compare-and-swap", Capability.ATOMIC, CheckContract::atomics),
            new Case("a closed region is refused", Capability.GET, CheckContract::revocation),
            new Case("the connection goes on after all that", Capability.TAGGED, contract -> contract.roundTrip(LONG)));

    private final PerfConnection connection;
    private final CheckSide side;
    private final Worker worker;
    private final Endpoint endpoint;
    private @Nullable RemoteKey key;

    private CheckContract(PerfConnection connection, CheckSide side) {
        this.connection = connection;
        this.side = side;
        worker = connection.worker();
        endpoint = connection.endpoint();
    }

    /**
     * Runs the cases over one connection. After a failed case it opens another, because leftovers must not make other cases fail.
     *
     * @param connect makes a connection to the peer
     * @param can what the path's transport can do
     * @param told called with each case's outcome
     */
    static void run(Supplier<PerfConnection> connect, Set<Capability> can, Consumer<CheckReport.Check> told) {
        Iterator<Case> cases = CASES.iterator();
        while (cases.hasNext()) {
            try (PerfConnection connection = connect.get()) {
                CheckSide side = new CheckSide(connection.worker(), connection.endpoint());
                try {
                    new CheckContract(connection, side).run(cases, can, told);
                } finally {
                    // What is on its way must not outlive the buffers.
                    connection.endpoint().close();
                    side.close();
                }
            }
        }
    }

    /** Runs cases until one fails. */
    private void run(Iterator<Case> cases, Set<Capability> can, Consumer<CheckReport.Check> told) {
        boolean going = true;
        while (going && cases.hasNext()) {
            Case next = cases.next();
            CheckReport.Check check = can.contains(next.needed())
                    ? CheckReport.Check.of(PART, next.name(), () -> next.body().apply(this))
                    : CheckReport.Check.skipped(PART, next.name(), "the transport lacks " + next.needed());
            told.accept(check);
            going = !check.isFailure();
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
        MemorySegment untouched = side.out().asSlice(0, LONG).fill((byte) 0x55);
        side.in().asSlice(SHORT, LONG).copyFrom(untouched);
        connection.ask("check-send 1 " + LONG);
        CheckSide.Outcome outcome = side.await("receive", side.receive(SHORT));
        expect(
                outcome.status() == Status.TRUNCATED && outcome.length() == LONG,
                "status=" + outcome.status() + ", length=" + outcome.length() + ", expected TRUNCATED and " + LONG);
        // The content of the buffer is then not defined.
        expect(side.in().asSlice(SHORT, LONG).mismatch(untouched) < 0, "bytes behind the buffer have changed");
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
        side.complete("flush", done -> endpoint.flush(done));
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
        side.complete("put", done -> endpoint.putSignal(side.out().asSlice(0, LONG), SIGNAL, target, 0, done));
        String answer = connection.ask("check-signal");
        expect(answer.equals("signal " + SIGNAL), answer + ", expected " + SIGNAL);
        connection.ask("check-verify " + LONG + " 5");
        return "the data is there when the signal comes";
    }

    private String atomics() {
        long before = atomic("swap", done -> endpoint.swap(7, key(), 0, done));
        String initial = connection.ask("check-word 0");
        expect(initial.equals("word 7"), initial + ", expected 7 after a swap of " + before);
        expectOld(7, atomic("fetch-add", done -> endpoint.fetchAdd(3, key(), 0, done)));
        expectOld(10, atomic("compare-and-swap", done -> endpoint.compareAndSwap(11, 20, key(), 0, done)));
        expectOld(10, atomic("compare-and-swap", done -> endpoint.compareAndSwap(10, 20, key(), 0, done)));
        side.complete("flush", done -> endpoint.flush(done));
        String last = connection.ask("check-word 0");
        expect(last.equals("word 20"), last + ", expected 20");
        return "";
    }

    private static void expectOld(long expected, long found) {
        expect(found == expected, "the word before was " + found + ", expected " + expected);
    }

    private long atomic(String name, CheckSide.Posting post) {
        return side.complete(name, post).value();
    }

    /** Waits for the notice first: an operation that passes it would reach the network card, which may end the whole connection. */
    private String revocation() {
        RemoteKey closed = key();
        connection.ask("check-revoke");
        expect(
                Dialogue.await(worker, closed::isRevoked, TimeUnit.SECONDS.toNanos(REVOKED_LIMIT_S)),
                "no notice of it within " + REVOKED_LIMIT_S + " s");
        Status status = side.await("get", side.start(done -> endpoint.get(side.in(), 0, SHORT, closed, 0, done, 0)))
                .status();
        expect(status == Status.REVOKED, "the get ended with " + status + ", expected REVOKED");
        return "REVOKED";
    }
}
