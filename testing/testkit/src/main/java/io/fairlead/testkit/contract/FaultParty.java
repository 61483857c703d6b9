package io.fairlead.testkit.contract;

import io.fairlead.AccessRight;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MemoryRegion;
import io.fairlead.MessageInfo;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One of the two that live through rounds of faults. It sends the other the keys of its two regions, and posts operations of every kind.
 * After the fault it checks how they ended. The same in the case's process and in the peer's. Its buffers are the same ones in every round.
 */
final class FaultParty {
    private static final long REGION_LENGTH = 64 << 10;
    /** Waits for the receiver, on every transport. */
    private static final int LONG = 256 << 10;

    private static final int SHORT = 64;
    private static final long KEYS_TAG = 1;
    private static final long SHORT_TAG = 10;
    private static final long LONG_TAG = 11;
    private static final long SYNCHRONOUS_TAG = 12;
    private static final long UNWANTED_TAG = 20;
    private static final long NEVER_SENT_TAG = 30;

    private static final Set<Status> FAILED = Set.of(Status.PEER_FAILED);
    private static final Set<Status> EITHER = Set.of(Status.OK, Status.PEER_FAILED);
    private static final Set<Reason> REASONS = Set.of(Reason.PEER_LOST, Reason.PEER_SILENT);

    private final Side side;
    private final MemoryRegion allocated;
    private final MemoryRegion wrapped;
    private final MemorySegment keysOut;
    private final MemorySegment keysIn;
    private final MemorySegment shortOut;
    private final MemorySegment longOut;
    private final MemorySegment scratch;
    /** What each receive takes, by tag. */
    private final Map<Long, MemorySegment> targets = new LinkedHashMap<>();

    private final Map<Long, Set<Status>> allowed = new LinkedHashMap<>();
    private final Map<Long, Long> receives = new LinkedHashMap<>();
    private @Nullable End end;
    private long keysReceive;
    private List<RemoteKey> keys = List.of();

    FaultParty(Side side, Arena arena) {
        this.side = side;
        Set<AccessRight> rights = EnumSet.allOf(AccessRight.class);
        allocated = side.context().allocate(REGION_LENGTH, rights);
        wrapped = side.context().register(arena.allocate(REGION_LENGTH, 8), rights);
        keysOut = keysMessage(arena);
        keysIn = arena.allocate(16 << 10);
        shortOut = arena.allocate(SHORT, 8);
        longOut = arena.allocate(LONG, 8);
        scratch = arena.allocate(SHORT, 8);
        targets.put(SHORT_TAG, arena.allocate(SHORT, 8));
        targets.put(LONG_TAG, arena.allocate(LONG, 8));
        targets.put(SYNCHRONOUS_TAG, arena.allocate(SHORT, 8));
    }

    private MemorySegment keysMessage(Arena arena) {
        byte[] first = allocated.packedKey();
        byte[] second = wrapped.packedKey();
        MemorySegment message = arena.allocate(Integer.BYTES + first.length + second.length, 8);
        message.set(ValueLayout.JAVA_INT, 0, first.length);
        MemorySegment.copy(first, 0, message, ValueLayout.JAVA_BYTE, Integer.BYTES, first.length);
        MemorySegment.copy(second, 0, message, ValueLayout.JAVA_BYTE, Integer.BYTES + first.length, second.length);
        return message;
    }

    /** A new connection is there: the two exchange their keys. */
    void begin(Endpoint endpoint) {
        End begun = new End(side, endpoint);
        end = begun;
        allowed.clear();
        receives.clear();
        keys = List.of();
        keysReceive = begun.receive(keysIn, KEYS_TAG);
        begun.send(keysOut, KEYS_TAG);
    }

    /** Whether the other's keys are here. */
    boolean ready() {
        if (keys.isEmpty() && side.recorder().has(keysReceive)) {
            long length = side.recorder().outcome(keysReceive).length();
            byte[] both = keysIn.asSlice(Integer.BYTES, length - Integer.BYTES).toArray(ValueLayout.JAVA_BYTE);
            int first = keysIn.get(ValueLayout.JAVA_INT, 0);
            keys = List.of(
                    end().endpoint().unpack(Arrays.copyOf(both, first)),
                    end().endpoint().unpack(Arrays.copyOfRange(both, first, both.length)));
        }
        return !keys.isEmpty();
    }

    /** Posts operations of every kind, some of which cannot end well. */
    void storm() {
        End here = end();
        if (here.endpoint().state() != EndpointState.CONNECTED) {
            // The fault was faster, and there is nothing left to post on.
            return;
        }
        Pattern.fill(shortOut, 0, SHORT, SHORT_TAG);
        Pattern.fill(longOut, 0, LONG, LONG_TAG);
        receives.clear();
        targets.forEach((tag, target) -> {
            target.fill((byte) 0);
            receives.put(tag, posted(here.receive(target, tag), EITHER));
        });
        posted(here.receive(scratch, NEVER_SENT_TAG), FAILED);
        posted(here.send(shortOut, SHORT_TAG), EITHER);
        posted(here.send(longOut, LONG_TAG), EITHER);
        posted(here.sendSynchronous(shortOut, SYNCHRONOUS_TAG), EITHER);
        posted(here.sendSynchronous(shortOut, UNWANTED_TAG), FAILED);
        posted(here.send(longOut, UNWANTED_TAG), FAILED);
        for (RemoteKey key : keys) {
            posted(here.put(shortOut, key, 0), EITHER);
            posted(here.put(longOut.asSlice(0, REGION_LENGTH), key, 0), EITHER);
            posted(here.get(scratch, key, SHORT), EITHER);
            posted(here.fetchAdd(1, key, 2 * SHORT), EITHER);
            posted(here.putSignal(shortOut, 7, key, 0), EITHER);
            posted(here.flush(), EITHER);
        }
    }

    private long posted(long id, Set<Status> outcomes) {
        allowed.put(id, outcomes);
        return id;
    }

    boolean ended() {
        return side.events().ended(end().endpoint());
    }

    /** The endpoint has ended, so the buffers are the application's again: what is sent late shows as nonsense. */
    void reuseBuffers() {
        shortOut.fill((byte) 0xEE);
        longOut.fill((byte) 0xEE);
    }

    /** What went wrong in the round that has ended; empty if nothing did. Forgets the round. */
    List<String> verdict() {
        List<String> wrong = new ArrayList<>(side.recorder().violations());
        Endpoint endpoint = end().endpoint();
        if (endpoint.state() != EndpointState.FAILED
                || !REASONS.contains(endpoint.failure().orElseThrow().reason())) {
            wrong.add("endpoint is " + endpoint.state() + ": " + endpoint.failure());
        }
        allowed.forEach((id, outcomes) -> {
            if (!side.recorder().has(id)) {
                wrong.add("never completed: id=" + id);
            } else if (!outcomes.contains(side.recorder().outcome(id).status())) {
                wrong.add(side.recorder().outcome(id) + ", allowed " + outcomes);
            }
        });
        receives.forEach((tag, id) -> {
            if (side.recorder().has(id) && side.recorder().outcome(id).status() == Status.OK) {
                verify(tag, wrong);
            }
        });
        drain();
        long inFlight = side.worker().counters().value(Counter.OPERATIONS_IN_FLIGHT);
        if (inFlight != 0) {
            wrong.add("operations in flight after the end: " + inFlight);
        }
        keys.forEach(RemoteKey::close);
        side.events().clear();
        return wrong;
    }

    private void verify(long tag, List<String> wrong) {
        MemorySegment target = Objects.requireNonNull(targets.get(tag), "target");
        try {
            Pattern.verify(target, 0, target.byteSize(), tag == LONG_TAG ? LONG_TAG : SHORT_TAG);
        } catch (AssertionError unlike) {
            wrong.add("a receive ended OK with other bytes than were sent: tag=" + tag + ", " + unlike.getMessage());
        }
    }

    /** Takes the whole messages that outlive their endpoint, so that the rounds do not pile them up. */
    private void drain() {
        MessageInfo info = side.worker().newMessageInfo();
        while (side.worker().claim(0, 0, info)) {
            long id = side.worker().receiveClaimed(info, scratch, 0, SHORT, side.recorder(), 0);
            if (id > 0) {
                side.recorder().posted(id);
            }
            side.progress();
        }
    }

    private End end() {
        if (end == null) {
            throw new IllegalStateException("no connection has begun");
        }
        return end;
    }
}
