package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.MessageInfo;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Thousands of random messages and receives, compared with {@link TaggedModel}. A failure names its seed; {@code -Dfairlead.contract.seed=N} repeats
 * the run.
 */
public class TaggedModelContract extends TaggedCases {
    private static final int MESSAGES = 10_000;
    private static final int EAGER_MAX = 1024;
    private static final int LENGTH_MAX = 5000;
    private static final int CLASS_BITS = 8;
    private static final long CLASS_MASK = (1 << CLASS_BITS) - 1;
    private static final int CLASSES = 12;
    private static final int OPEN_RECEIVES_MAX = 1000;

    private final List<Pair> pairs = new ArrayList<>();
    private final List<Posted> posted = new ArrayList<>();
    private TaggedModel model = new TaggedModel();
    private SplittableRandom random = new SplittableRandom();

    /** Creates the suite of one case; JUnit does. */
    protected TaggedModelContract() {}

    /**
     * A receive as it was posted.
     *
     * @param id its request id
     * @param target its buffer
     */
    private record Posted(long id, MemorySegment target) {}

    @Test
    @Semantics("T-22")
    void shouldAgreeWithModelForOneSender(TestReporter reporter) {
        run(1, reporter);
    }

    @Test
    @Semantics("T-22")
    void shouldAgreeWithModelForSeveralSenders(TestReporter reporter) {
        run(5, reporter);
    }

    private void run(int senders, TestReporter reporter) {
        long seed = Long.getLong("fairlead.contract.seed", System.nanoTime());
        reporter.publishEntry("fairlead.contract.seed", Long.toString(seed));
        random = new SplittableRandom(seed);
        configure(ConfigKeys.EAGER_MAX, EAGER_MAX);
        configure(ConfigKeys.CREDIT_BYTES, 64 * EAGER_MAX);
        for (int i = 0; i < senders; i++) {
            pairs.add(connect());
        }
        try {
            exchange();
            drain();
            verify();
        } catch (AssertionError e) {
            throw new AssertionError("with -Dfairlead.contract.seed=" + seed + ": " + e.getMessage(), e);
        }
    }

    /** Sends, posts and makes progress in random order, until every message is sent. */
    private void exchange() {
        while (model.messageCount() < MESSAGES) {
            int dice = random.nextInt(100);
            if (dice < 45) {
                send();
            } else if (dice < 85) {
                if (server().recorder().outstanding() < OPEN_RECEIVES_MAX) {
                    post(randomReceive());
                }
            } else {
                Side side = random.nextBoolean() ? server() : client();
                for (int i = random.nextInt(4); i >= 0; i--) {
                    side.progress();
                }
            }
        }
    }

    private void send() {
        int index = model.messageCount();
        int sender = random.nextInt(pairs.size());
        End end = pairs.get(sender).client();
        int length = randomLength();
        MemorySegment source = pattern(length, index);
        int kind = random.nextInt(transport().capabilities().contains(Capability.SYNCHRONOUS_SEND) ? 3 : 2);
        int cut = random.nextInt(length + 1);
        MemorySegment[] parts = {source.asSlice(0, cut), source.asSlice(cut)};
        MessageInfo info = server().worker().newMessageInfo();
        Endpoint endpoint = end.endpoint();
        progressUntil(
                () -> {
                    long answer = switch (kind) {
                        case 0 -> endpoint.send(source, 0, length, tag(index), end.recorder(), 0);
                        case 1 -> endpoint.sendGather(parts, tag(index), end.recorder());
                        default -> endpoint.sendSynchronous(source, 0, length, tag(index), end.recorder(), 0);
                    };
                    if (answer == Endpoint.BACK_PRESSURE) {
                        if (server().worker().probe(0, ANY_TAG, info)) {
                            post(new TaggedModel.Receive(TaggedModel.ANY, 0, ANY_TAG));
                        }
                        return false;
                    }
                    end.posted(answer);
                    return true;
                },
                "a message to be taken");
        model.sent(new TaggedModel.Message(sender, tag(index), length));
    }

    /** The number of the message, over one of a few classes that receives ask for. */
    private static long tag(int index) {
        return ((long) index << CLASS_BITS) | Math.floorMod(index * 0x9E37_79B9, CLASSES);
    }

    private int randomLength() {
        return switch (random.nextInt(10)) {
            case 0 -> 0;
            case 1 -> EAGER_MAX - 1 + random.nextInt(3);
            case 2 -> random.nextInt(LENGTH_MAX + 1);
            case 3, 4 -> random.nextInt(EAGER_MAX);
            default -> random.nextInt(64);
        };
    }

    private TaggedModel.Receive randomReceive() {
        int source = random.nextInt(3) == 0 ? TaggedModel.ANY : random.nextInt(pairs.size());
        return switch (random.nextInt(10)) {
            case 0 -> new TaggedModel.Receive(source, random.nextLong() & FULL, ANY_TAG);
            case 1, 2 -> new TaggedModel.Receive(source, tag(random.nextInt(MESSAGES)), FULL);
            case 3, 4 -> new TaggedModel.Receive(source, random.nextInt(CLASSES), random.nextLong() & 0xF);
            default -> {
                // Bits outside of the mask make no difference, and are set to show it.
                long noise = random.nextLong() & FULL & ~CLASS_MASK;
                yield new TaggedModel.Receive(source, noise | random.nextInt(CLASSES), CLASS_MASK);
            }
        };
    }

    private void post(TaggedModel.Receive receive) {
        MemorySegment target = buffer(random.nextInt(10) == 0 ? random.nextInt(LENGTH_MAX + 1) : LENGTH_MAX);
        long id = receive.source() == TaggedModel.ANY
                ? server().receive(target, receive.tag(), receive.mask())
                : pairs.get(receive.source()).server().receive(target, receive.tag(), receive.mask());
        int index = model.posted(receive);
        assertEquals(index, posted.size());
        posted.add(new Posted(id, target));
    }

    /** Receives whatever is left, and withdraws the receives that got nothing. */
    private void drain() {
        MessageInfo info = server().worker().newMessageInfo();
        progressUntil(
                () -> {
                    boolean waiting = server().worker().probe(0, ANY_TAG, info);
                    if (waiting) {
                        post(new TaggedModel.Receive(TaggedModel.ANY, 0, ANY_TAG));
                    }
                    return !waiting && received() == model.messageCount();
                },
                "every message to be received");
        completeAll(client());
        posted.forEach(receive -> {
            if (!server().recorder().has(receive.id())) {
                server().worker().cancel(receive.id());
            }
        });
        completeAll(server());
    }

    private int received() {
        return server().recorder().count();
    }

    private void verify() {
        int matched = 0;
        for (int r = 0; r < posted.size(); r++) {
            Outcome outcome = server().recorder().outcome(posted.get(r).id());
            if (outcome.status() != Status.CANCELLED) {
                matched++;
                verifyMessage(r, outcome);
            }
        }
        assertEquals(model.messageCount(), matched, "messages received");
        model.verify();
    }

    private void verifyMessage(int receive, Outcome outcome) {
        int index = (int) (outcome.tag() >>> CLASS_BITS);
        assertEquals(tag(index), outcome.tag());
        TaggedModel.Message message = model.message(index);
        MemorySegment target = posted.get(receive).target();
        boolean fits = message.length() <= target.byteSize();
        assertEquals(fits ? Status.OK : Status.TRUNCATED, outcome.status(), () -> "message " + index);
        assertEquals(message.length(), outcome.length(), () -> "length of message " + index);
        assertSame(
                pairs.get(message.sender()).server().endpoint(),
                outcome.source().orElseThrow(),
                () -> "source of message " + index);
        if (fits) {
            Pattern.verify(target, 0, message.length(), index);
        }
        model.met(receive, index);
    }
}
