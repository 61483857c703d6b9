package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.spi.AtomicOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Atomics on words of remote memory. */
public class RemoteAtomicContract extends RemoteMemoryCases {
    private static final long[] WORDS = {
        0, 1, -1, 42, 0x0F0F_0F0F_0F0F_0F0FL, 0x8000_0000_0000_0000L, Long.MAX_VALUE, 0x0123_4567_89AB_CDEFL
    };

    /** Creates the suite of one case; JUnit does. */
    protected RemoteAtomicContract() {}

    @BeforeEach
    final void requireAtomics() {
        requires(Capability.ATOMIC);
    }

    /** What a word holds after an operation. */
    static long applied(AtomicOperation operation, long word, long operand, long compare) {
        return switch (operation) {
            case ADD -> word + operand;
            case AND -> word & operand;
            case OR -> word | operand;
            case XOR -> word ^ operand;
            case SWAP -> operand;
            case COMPARE_SWAP -> word == compare ? operand : word;
        };
    }

    @Test
    @Semantics("R-22")
    void shouldAdd() {
        check(AtomicOperation.ADD);
    }

    @Test
    @Semantics("R-22")
    void shouldAnd() {
        check(AtomicOperation.AND);
    }

    @Test
    @Semantics("R-22")
    void shouldOr() {
        check(AtomicOperation.OR);
    }

    @Test
    @Semantics("R-22")
    void shouldXor() {
        check(AtomicOperation.XOR);
    }

    @Test
    @Semantics("R-22")
    void shouldSwap() {
        check(AtomicOperation.SWAP);
    }

    private void check(AtomicOperation operation) {
        Pair pair = connect();
        MemoryRegion region = region(64);
        RemoteKey key = pair.client().unpack(region);
        for (long word : WORDS) {
            for (long operand : WORDS) {
                region.segment().set(WORD, 8, word);
                // The expected value of a compare-and-swap makes no difference to the others.
                assertEquals(word, changed(pair.client(), operation, operand, 0xDEAD, key, 8), "value before");
                assertEquals(
                        applied(operation, word, operand, 0xDEAD),
                        region.segment().get(WORD, 8),
                        () -> operation + " of " + word + " and " + operand);
            }
        }
    }

    @Test
    @Semantics("R-23")
    void shouldSwapWhereExpectedValueIsFound() {
        Pair pair = connect();
        MemoryRegion region = region(64);
        RemoteKey key = pair.client().unpack(region);
        for (long word : WORDS) {
            for (long compare : WORDS) {
                region.segment().set(WORD, 8, word);
                long before = changed(pair.client(), AtomicOperation.COMPARE_SWAP, 777, compare, key, 8);
                assertEquals(word, before, "value before");
                assertEquals(word == compare ? 777 : word, region.segment().get(WORD, 8));
            }
        }
    }

    @Test
    @Semantics("R-23")
    void shouldLetOneOfSeveralCompareAndSwapsWin() {
        List<Pair> pairs = List.of(connect(), connect(), connect(), connect());
        MemoryRegion region = region(8);
        List<RemoteKey> keys =
                pairs.stream().map(pair -> pair.client().unpack(region)).toList();
        for (int round = 0; round < 50; round++) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < pairs.size(); i++) {
                long value = round * 10L + i + 1;
                ids.add(pairs.get(i).client().compareAndSwap(0, value, keys.get(i), 0));
            }
            completeAll(client());
            long winners = ids.stream()
                    .filter(id -> client().recorder().outcome(id).value() == 0)
                    .count();
            assertEquals(1, winners, "compare-and-swaps that found 0");
            region.segment().set(WORD, 0, 0);
        }
    }

    @Test
    @Semantics("R-24")
    void shouldWrapAround() {
        Pair pair = connect();
        MemoryRegion region = region(8);
        RemoteKey key = pair.client().unpack(region);
        region.segment().set(WORD, 0, Long.MAX_VALUE);
        assertEquals(Long.MAX_VALUE, changed(pair.client(), AtomicOperation.ADD, 1, 0, key, 0));
        assertEquals(Long.MIN_VALUE, changed(pair.client(), AtomicOperation.ADD, -1, 0, key, 0));
        assertEquals(Long.MAX_VALUE, changed(pair.client(), AtomicOperation.ADD, Long.MAX_VALUE, 0, key, 0));
        assertEquals(-2, region.segment().get(WORD, 0));
        assertEquals(-2, changed(pair.client(), AtomicOperation.ADD, 3, 0, key, 0));
        assertEquals(1, region.segment().get(WORD, 0));
    }

    @Test
    @Semantics("R-25")
    void shouldTouchNothingBesideTheWord() {
        Pair pair = connect();
        MemoryRegion region = region(40);
        RemoteKey key = pair.client().unpack(region);
        for (AtomicOperation operation : AtomicOperation.values()) {
            for (long offset = 0; offset < 40; offset += 8) {
                region.segment().fill(UNTOUCHED);
                region.segment().set(WORD, offset, 0x0102_0304_0506_0708L);
                changed(pair.client(), operation, 0x1020_3040_5060_7080L, 0x0102_0304_0506_0708L, key, offset);
                long expected =
                        applied(operation, 0x0102_0304_0506_0708L, 0x1020_3040_5060_7080L, 0x0102_0304_0506_0708L);
                assertEquals(expected, region.segment().get(WORD, offset), () -> "after " + operation);
                Pattern.verifyFilled(region.segment(), 0, offset, UNTOUCHED);
                Pattern.verifyFilled(region.segment(), offset + 8, 32 - offset, UNTOUCHED);
            }
        }
    }

    @Test
    @Semantics("R-26")
    void shouldSumUpAddsOfSeveralEndpoints() {
        Side third = newSide("third");
        List<Pair> pairs = List.of(connect(), connect(), connect(third, server()), connect(third, server()));
        MemoryRegion region = region(64);
        int each = 500;
        List<List<Long>> ids = new ArrayList<>();
        for (Pair pair : pairs) {
            List<Long> own = new ArrayList<>();
            RemoteKey key = pair.client().unpack(region);
            for (int i = 0; i < each; i++) {
                own.add(pair.client().fetchAdd(1, key, 8));
            }
            ids.add(own);
        }
        completeAll(client());
        completeAll(third);
        assertEquals((long) pairs.size() * each, region.segment().get(WORD, 8));
        LongStream found = LongStream.empty();
        for (int p = 0; p < pairs.size(); p++) {
            Recorder recorder = pairs.get(p).client().recorder();
            found = LongStream.concat(
                    found,
                    ids.get(p).stream().mapToLong(id -> recorder.outcome(id).value()));
        }
        assertEquals(
                LongStream.range(0, (long) pairs.size() * each).boxed().toList(),
                found.sorted().boxed().toList(),
                "values that the adds found");
    }

    @Test
    @Semantics("R-26")
    @Tag("one-process") // Other threads use the server's context.
    void shouldBeAtomicAcrossWorkersOfTarget() throws InterruptedException {
        MemoryRegion region = region(64);
        int threads = 3;
        int each = 3000;
        List<ForeignServer> servers = new ArrayList<>();
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            // Each worker of the owner's context serves its own endpoint on its own thread, all of them the same word.
            ForeignServer foreign = closeLater(new ForeignServer(server().context()));
            servers.add(foreign);
            endpoints.add(client().worker().connect(foreign.address(), client().events()));
        }
        progressUntil(() -> client().events().count(Event.Kind.CONNECTED) == threads, "all endpoints to be connected");
        List<RemoteKey> keys =
                endpoints.stream().map(e -> e.unpack(region.packedKey())).toList();
        for (int i = 0; i < each; i++) {
            for (int t = 0; t < threads; t++) {
                End end = new End(client(), endpoints.get(t));
                long[] answer = new long[1];
                RemoteKey key = keys.get(t);
                progressUntil(
                        () -> {
                            answer[0] = end.endpoint().fetchAdd(1, key, 8, client().recorder());
                            return answer[0] != Endpoint.BACK_PRESSURE;
                        },
                        "an atomic to be taken");
                end.posted(answer[0]);
            }
        }
        completeAll(client());
        assertEquals((long) threads * each, region.segment().get(WORD, 8));
        long distinct = client().recorder().outcomes().stream()
                .mapToLong(Outcome::value)
                .distinct()
                .count();
        assertEquals((long) threads * each, distinct, "values that the adds found");
        servers.forEach(ForeignServer::close);
    }

    @Test
    @Semantics("R-27")
    void shouldRefuseOffsetsThatAreNoMultipleOfEight() {
        Pair pair = connect();
        MemoryRegion region = region(64);
        region.segment().fill(UNTOUCHED);
        RemoteKey key = pair.client().unpack(region);
        for (long offset : new long[] {1, 2, 3, 4, 5, 6, 7, 9, 12, 50}) {
            for (AtomicOperation operation : AtomicOperation.values()) {
                IllegalArgumentException refusal = assertThrows(
                        IllegalArgumentException.class, () -> pair.client().atomic(operation, 1, 0, key, offset));
                String message = String.valueOf(refusal.getMessage());
                assertTrue(message.contains("offset=" + offset), () -> "does not name the offset: " + message);
            }
        }
        flush(pair.client());
        Pattern.verifyFilled(region.segment(), 0, 64, UNTOUCHED);
    }
}
