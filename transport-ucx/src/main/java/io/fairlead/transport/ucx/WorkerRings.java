package io.fairlead.transport.ucx;

import io.fairlead.spi.EagerPool;
import java.lang.foreign.Arena;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rings of all endpoints of a worker. A look at a ring costs little, but a thousand looks do not: every turn looks at the rings that
 * brought something lately, and at some of the others in turn.
 */
final class WorkerRings {
    private static final int BUSY_MAX = 16;
    private static final int QUIET_PER_TURN = 16;

    private final Arena arena = Arena.ofConfined();
    private final @Nullable ProcessRead memory;
    /** The processes of peers, by their numbers. */
    private final Map<Integer, PeerProcess> processes = new HashMap<>();

    private final RingSlots slots = new RingSlots();
    private final EagerPool pool = new EagerPool();
    /** Rings that peers write to: first the busy ones. */
    private @Nullable Rings[] reading = new @Nullable Rings[4];

    private int count;
    private int busy;
    /** The quiet one to look at next, and the busy one to give its place to a busier one. */
    private int nextQuiet;

    private int nextBusy;
    /** Rings with something left to do, and rings whose readers were not looked at since something was written. */
    private final List<Rings> backlogged = new ArrayList<>();

    private final List<Rings> written = new ArrayList<>();
    /** Peers have been told to wake this worker. */
    private boolean resting;

    /**
     * Makes the rings of a worker.
     *
     * @param read whether other processes may be read
     */
    WorkerRings(boolean read) {
        memory = read ? new ProcessRead(arena) : null;
    }

    /** By which long messages are read out of their senders' memory; null if they may not be. */
    @Nullable ProcessRead memory() {
        return memory;
    }

    /** The process of a number, for one endpoint more; null if it cannot be told from a later one of that number. */
    @Nullable PeerProcess process(int number) {
        PeerProcess known = processes.get(number);
        if (known == null || !known.alive()) {
            known = PeerProcess.open(number);
            if (known == null) {
                return null;
            }
            processes.put(number, known);
        }
        known.acquire();
        return known;
    }

    /** An endpoint needs its peer's process no more. */
    void release(@Nullable PeerProcess process) {
        if (process != null && process.release()) {
            processes.remove(process.number(), process);
            process.close();
        }
    }

    RingSlots slots() {
        return slots;
    }

    /** Where messages wait that no receive has matched. */
    EagerPool pool() {
        return pool;
    }

    /** A peer writes to this endpoint's ring from now on. */
    void reads(Rings rings) {
        if (count == reading.length) {
            reading = Arrays.copyOf(reading, count * 2);
        }
        reading[count++] = rings;
    }

    /** An endpoint has something to do in the next turn, or once there is room. */
    void backlogged(Rings rings) {
        backlogged.add(rings);
    }

    /** Something is in a ring whose reader may rest. */
    void wrote(Rings rings) {
        written.add(rings);
    }

    void forget(Rings rings) {
        backlogged.remove(rings);
        written.remove(rings);
        for (int i = 0; i < count; i++) {
            if (reading[i] == rings) {
                if (i < busy) {
                    busy--;
                    reading[i] = reading[busy];
                    reading[busy] = reading[--count];
                } else {
                    reading[i] = reading[--count];
                }
                reading[count] = null;
                return;
            }
        }
    }

    /** Reads, writes what waits for room, and wakes whom something was written to. */
    int progress() {
        if (resting) {
            resting = false;
            slots.rest(false);
        }
        int events = read();
        for (int i = backlogged.size() - 1; i >= 0; i--) {
            Rings rings = backlogged.get(i);
            events += rings.catchUp();
            if (rings.caughtUp()) {
                backlogged.remove(i);
            }
        }
        if (!written.isEmpty()) {
            wakePeers();
        }
        return events;
    }

    /** Takes what is here to the core's matching. */
    int read() {
        int events = 0;
        for (int i = 0; i < busy; i++) {
            events += at(i).read();
        }
        return busy < count ? events + readQuiet() : events;
    }

    private int readQuiet() {
        int events = 0;
        for (int looks = Math.min(count - busy, QUIET_PER_TURN); looks > 0 && busy < count; looks--) {
            if (nextQuiet < busy || nextQuiet >= count) {
                nextQuiet = busy;
            }
            int here = at(nextQuiet).read();
            if (here > 0) {
                events += here;
                promote(nextQuiet);
            }
            nextQuiet++;
        }
        return events;
    }

    private void promote(int quiet) {
        int place = busy;
        if (busy < BUSY_MAX) {
            busy++;
        } else {
            nextBusy = (nextBusy + 1) % BUSY_MAX;
            place = nextBusy;
        }
        Rings promoted = reading[quiet];
        reading[quiet] = reading[place];
        reading[place] = promoted;
    }

    private Rings at(int index) {
        return Objects.requireNonNull(reading[index], "reading");
    }

    /** One fence for all that was written since the last turn, instead of one for each message. */
    private void wakePeers() {
        VarHandle.fullFence();
        for (int i = 0; i < written.size(); i++) {
            written.get(i).wakePeer();
        }
        written.clear();
    }

    /** Lets peers wake this worker; false if there is something to do. */
    boolean rest() {
        if (!backlogged.isEmpty()) {
            return false;
        }
        if (!written.isEmpty()) {
            wakePeers();
        }
        resting = true;
        slots.rest(true);
        for (int i = 0; i < count; i++) {
            if (at(i).ready()) {
                return false;
            }
        }
        return true;
    }

    void close() {
        slots.close();
        pool.close();
        arena.close();
    }
}
