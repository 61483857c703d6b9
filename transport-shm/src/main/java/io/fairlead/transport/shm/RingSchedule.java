package io.fairlead.transport.shm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the endpoints of a worker that a turn polls. Polling a ring is cheap, but a thousand are not: every turn
 * polls the rings with recent records, and some of the others in rotation.
 */
final class RingSchedule {
    private static final int BUSY_MAX = 16;
    private static final int QUIET_PER_TURN = 16;

    private final RingSlots slots;
    /** Endpoints whose peers write to them, busy ones first. */
    private @Nullable RingUser[] reading = new @Nullable RingUser[4];

    private int count;
    private int busy;
    /** The next idle one to poll, and the busy one to replace by a busier one. */
    private int nextQuiet;

    private int nextBusy;
    /** Endpoints with remaining work, and those whose peers must be checked after a write. */
    private final List<RingUser> backlogged = new ArrayList<>();

    private List<RingUser> written = new ArrayList<>();
    /** Endpoints that wrote in the last turn that had writes. */
    private List<RingUser> wrote = new ArrayList<>();
    /** Endpoints with something to copy, the next first. */
    private final ArrayDeque<RingUser> copying = new ArrayDeque<>();
    /** Peers were asked to wake this worker. */
    private boolean resting;

    RingSchedule(RingSlots slots) {
        this.slots = slots;
    }

    /** A peer writes to this endpoint's ring from now on. */
    void addReader(RingUser endpoint) {
        if (count == reading.length) {
            reading = Arrays.copyOf(reading, count * 2);
        }
        reading[count++] = endpoint;
    }

    /** An endpoint has work for the next turn, or for when its ring has capacity. */
    void addBacklogged(RingUser endpoint) {
        backlogged.add(endpoint);
    }

    /** A record is in a ring whose reader may rest. */
    void addWritten(RingUser endpoint) {
        written.add(endpoint);
    }

    /** An endpoint has something to copy, or no longer. */
    void setCopying(RingUser endpoint, boolean any) {
        if (any) {
            copying.add(endpoint);
        } else {
            copying.remove(endpoint);
        }
    }

    void forget(RingUser endpoint) {
        backlogged.remove(endpoint);
        written.remove(endpoint);
        wrote.remove(endpoint);
        copying.remove(endpoint);
        for (int i = 0; i < count; i++) {
            if (endpoint.equals(reading[i])) {
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

    /** Reads, copies, writes waiting operations, and wakes the readers of written rings. */
    int progress() {
        if (resting) {
            resting = false;
            slots.setResting(false);
        }
        int events = 0;
        for (int i = 0; i < busy; i++) {
            events += Objects.requireNonNull(reading[i], "reading").read();
        }
        if (busy < count) {
            events += readQuiet();
        }
        for (int i = backlogged.size() - 1; i >= 0; i--) {
            RingUser endpoint = backlogged.get(i);
            events += endpoint.catchUp();
            if (endpoint.isCaughtUp()) {
                backlogged.remove(i);
            }
        }
        if (!copying.isEmpty()) {
            RingUser endpoint = copying.remove();
            copying.add(endpoint);
            events += endpoint.copy();
        }
        if (!written.isEmpty()) {
            wakePeers();
        } else if (!wrote.isEmpty()) {
            prefetchForWrite();
        }
        return events;
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
        RingUser promoted = reading[quiet];
        reading[quiet] = reading[place];
        reading[place] = promoted;
    }

    private RingUser at(int index) {
        return Objects.requireNonNull(reading[index], "reading");
    }

    /** One fence for all writes since the last turn, instead of one per message. */
    private void wakePeers() {
        Ring.fenceBeforeRestCheck();
        for (int i = 0; i < written.size(); i++) {
            written.get(i).wakePeer();
        }
        List<RingUser> before = wrote;
        before.clear();
        wrote = written;
        written = before;
    }

    /** In the first turn without writes: a stream's writer has no time for it, and no need. */
    private void prefetchForWrite() {
        for (int i = 0; i < wrote.size(); i++) {
            wrote.get(i).prefetchForWrite();
        }
        wrote.clear();
    }

    /** Lets peers wake this worker; false if there is work. */
    boolean tryRest() {
        if (!copying.isEmpty()) {
            return false;
        }
        for (int i = 0; i < backlogged.size(); i++) {
            if (!backlogged.get(i).tryAwaitRoom()) {
                return false;
            }
        }
        if (!written.isEmpty()) {
            wakePeers();
        }
        resting = true;
        slots.setResting(true);
        for (int i = 0; i < count; i++) {
            if (at(i).hasWork()) {
                return false;
            }
        }
        for (int i = 0; i < backlogged.size(); i++) {
            if (backlogged.get(i).hasRoom()) {
                return false;
            }
        }
        return true;
    }
}
