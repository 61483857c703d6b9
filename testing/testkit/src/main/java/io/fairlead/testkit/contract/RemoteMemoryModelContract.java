package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.spi.AtomicOperation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Thousands of random operations on remote memory, compared with a model: an array of bytes on which each operation takes effect at once. A fence or a
 * flush separates operations on the same bytes, as the rules demand; all others may run in any order. A failure names its seed;
 * {@code -Dfairlead.contract.seed=N} repeats the run.
 */
public class RemoteMemoryModelContract extends RemoteMemoryCases {
    private static final int OPERATIONS = 5000;
    private static final int REGION_LENGTH = 1 << 17;
    private static final int LENGTH_MAX = 40_000;

    private final List<Runnable> checks = new ArrayList<>();
    private final BitSet read = new BitSet(REGION_LENGTH);
    private final BitSet written = new BitSet(REGION_LENGTH);
    private byte[] model = new byte[REGION_LENGTH];
    private SplittableRandom random = new SplittableRandom();

    /** Creates the suite of one case; JUnit does. */
    protected RemoteMemoryModelContract() {}

    @Test
    @Semantics("R-16")
    void shouldAgreeWithModel(TestReporter reporter) {
        requires(Capability.ATOMIC);
        long seed = Long.getLong("fairlead.contract.seed", System.nanoTime());
        reporter.publishEntry("fairlead.contract.seed", Long.toString(seed));
        random = new SplittableRandom(seed);
        Pair pair = connect();
        MemoryRegion region = region(REGION_LENGTH);
        RemoteKey key = pair.client().unpack(region);
        model = new byte[REGION_LENGTH];
        try {
            for (int i = 0; i < OPERATIONS; i++) {
                step(pair.client(), key, region);
            }
            settle(pair.client(), region);
        } catch (AssertionError e) {
            throw new AssertionError("with -Dfairlead.contract.seed=" + seed + ": " + e.getMessage(), e);
        }
    }

    private void step(End client, RemoteKey key, MemoryRegion region) {
        int dice = random.nextInt(100);
        if (dice < 40) {
            put(client, key);
        } else if (dice < 65) {
            get(client, key);
        } else if (dice < 85) {
            atomic(client, key);
        } else if (dice < 90) {
            fence(client);
        } else if (dice < 91) {
            settle(client, region);
        } else {
            Side side = random.nextBoolean() ? server() : client();
            side.progress();
        }
    }

    private void put(End client, RemoteKey key) {
        int length = randomLength();
        int offset = random.nextInt(REGION_LENGTH - length + 1);
        separate(client, offset, length, true);
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        MemorySegment source = buffer(length);
        MemorySegment.copy(bytes, 0, source, ValueLayout.JAVA_BYTE, 0, length);
        post(client, () -> client.endpoint().put(source, 0, length, key, offset, client.recorder(), 0));
        System.arraycopy(bytes, 0, model, offset, length);
    }

    private void get(End client, RemoteKey key) {
        int length = randomLength();
        int offset = random.nextInt(REGION_LENGTH - length + 1);
        separate(client, offset, length, false);
        MemorySegment target = buffer(length);
        byte[] expected = Arrays.copyOfRange(model, offset, offset + length);
        post(client, () -> client.endpoint().get(target, 0, length, key, offset, client.recorder(), 0));
        checks.add(() -> assertArrayEquals(
                expected, target.toArray(ValueLayout.JAVA_BYTE), () -> "get of " + length + " bytes at " + offset));
    }

    private void atomic(End client, RemoteKey key) {
        int offset = random.nextInt(REGION_LENGTH / Long.BYTES) * Long.BYTES;
        separate(client, offset, Long.BYTES, true);
        ByteBuffer words = ByteBuffer.wrap(model).order(ByteOrder.nativeOrder());
        long before = words.getLong(offset);
        AtomicOperation[] all = AtomicOperation.values();
        AtomicOperation operation = all[random.nextInt(all.length)];
        long operand = random.nextLong();
        long compare = random.nextBoolean() ? before : random.nextLong();
        long id = post(client, () -> client.tryAtomic(operation, operand, compare, key, offset));
        words.putLong(offset, RemoteAtomicContract.applied(operation, before, operand, compare));
        checks.add(() -> assertEquals(
                before, client.recorder().outcome(id).value(), () -> operation + " of the word at " + offset));
    }

    /** Posts as soon as there is capacity. */
    private long post(End client, LongSupplier call) {
        long[] answer = new long[1];
        progressUntil(
                () -> {
                    answer[0] = call.getAsLong();
                    return answer[0] != Endpoint.BACK_PRESSURE;
                },
                "an operation to be taken");
        return client.posted(answer[0]);
    }

    /** Puts a fence where an operation would touch bytes that an earlier one touches in another way. */
    private void separate(End client, int offset, int length, boolean writes) {
        BitSet touched = writes ? either() : written;
        int next = touched.nextSetBit(offset);
        if (next >= 0 && next < offset + length) {
            fence(client);
        }
        (writes ? written : read).set(offset, offset + length);
    }

    private BitSet either() {
        BitSet both = (BitSet) read.clone();
        both.or(written);
        return both;
    }

    private void fence(End client) {
        assertEquals(0, client.endpoint().fence());
        read.clear();
        written.clear();
    }

    /** Flushes, and compares everything with the model. */
    private void settle(End client, MemoryRegion region) {
        completeOk(client, post(client, () -> client.endpoint().flush(client.recorder())));
        completeAll(client());
        read.clear();
        written.clear();
        checks.forEach(Runnable::run);
        checks.clear();
        assertEquals(
                -1,
                MemorySegment.ofArray(model).mismatch(region.segment()),
                "first byte of the region that differs from the model");
    }

    private int randomLength() {
        return switch (random.nextInt(20)) {
            case 0 -> random.nextInt(LENGTH_MAX + 1);
            case 1 -> 0;
            case 2, 3, 4 -> random.nextInt(2000);
            default -> 1 + random.nextInt(64);
        };
    }
}
