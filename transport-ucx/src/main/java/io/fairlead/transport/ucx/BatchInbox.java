package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The batches that arrive at one worker. UCX matches them with receives posted here, whose buffers are read in the order
 * of posting, which is that of arrival. A receive is posted anew when the worker has nothing else to do, or few are left.
 *
 * <p>A batch that never arrives whole, because its sender has died, does not hold up those of others. Batches of one
 * endpoint travel on one lane, so UCX completes them in order.
 */
final class BatchInbox implements Arrivals.Batches {
    /** The number of receives. Further batches wait in UCX. */
    private static final int RECEIVES = 16;
    /** With fewer receives than this, the others are posted anew at once. */
    private static final int POSTED_MIN = 8;
    /** Maximum number of batches in progress; conforming peers' batches arrive in one piece. */
    private static final int IN_PROGRESS_MAX = 1024;
    /** The number of turns between work of UCX that no message explains, and a look at all receives. */
    private static final int SEARCH_TURNS = 64;
    /** Maximum number of records per turn: completions run before further ones are read. */
    private static final int RECORDS_MAX = 32;

    private static final long TAG = TransportMessage.tag(TransportMessage.BATCH, 0);
    /** Everything except for the endpoint. */
    private static final long TAG_MASK = -1L << TransportMessage.KIND_SHIFT;

    private final long worker;
    private final Params receive;
    private final Arena arena;
    private final MemorySegment info;
    private final UcxEndpointTable endpoints;
    private final Arrivals arrivals;
    private final RecordArrivals records;
    /** The receives, as a ring: the oldest posted one, and from there the others. Null before the first endpoint. */
    private Slot @Nullable [] slots;

    private int oldest;
    private int posted;
    /** The number of oldest receives whose batches have not arrived whole, and that later ones have overtaken. */
    private int stuck;
    /** The number of turns until all receives are asked, because several may be stuck; 0 if that is not due. */
    private int searchTurns;

    private boolean searching;
    /** The next batch is being read: the bytes read so far, its length, and its endpoint, if that is open. */
    private boolean reading;

    private int at;
    private int end;
    private @Nullable UcxEndpoint from;
    /** The next receive must be asked now, or in the next idle turn. */
    private boolean unasked;

    private boolean unsearched;
    private int begun;

    /** A receive: its buffer and UCX's request. */
    private static final class Slot {
        final MemorySegment memory;
        long request;

        Slot(Arena arena) {
            memory = arena.allocate(TransportMessage.CAPACITY, Long.BYTES);
        }
    }

    /**
     * Creates it without receives.
     *
     * @param arrivals takes the messages outside of batches that a batch follows
     * @param records takes the records of batches
     */
    BatchInbox(
            long worker,
            Params receive,
            UcxEndpointTable endpoints,
            Arrivals arrivals,
            RecordArrivals records,
            Arena arena) {
        this.worker = worker;
        this.receive = receive;
        this.endpoints = endpoints;
        this.arrivals = arrivals;
        this.records = records;
        this.arena = arena;
        this.info = arena.allocate(Ucp.INFO_SIZE, Long.BYTES);
    }

    /** The worker has an endpoint: posts the receives. */
    void open() {
        if (slots == null) {
            Slot[] made = new Slot[RECEIVES];
            Arrays.setAll(made, _ -> new Slot(arena));
            slots = made;
            post(made, RECEIVES);
        }
    }

    /** Posts receives until so many are there for batches to come. */
    private void post(Slot[] all, int count) {
        // If none was posted, batches may wait in UCX, and match at once.
        unasked |= posted == stuck;
        Slot[] ring = all;
        while (posted - stuck < count && posted < IN_PROGRESS_MAX) {
            ring = withRoom(ring);
            Slot slot = ring[oldest + posted & ring.length - 1];
            free(slot);
            long answer = Ucp.tagReceive(
                    worker, slot.memory.address(), TransportMessage.CAPACITY, TAG, TAG_MASK, receive.of(0));
            if (Ucp.isError(answer)) {
                throw new IllegalStateException("ucp_tag_recv_nbx failed: " + UcxStatus.text((byte) answer));
            }
            slot.request = answer;
            posted++;
        }
    }

    /**
     * Takes a batch that was claimed. It has found no receive, so all of them have matched earlier batches, and the oldest
     * of these has not arrived whole.
     *
     * @return false if there are too many
     */
    @Override
    public boolean tryAdopt(long message) {
        Slot[] all = slots;
        if (all == null || posted >= IN_PROGRESS_MAX) {
            return false;
        }
        Slot[] ring = withRoom(all);
        Slot slot = ring[oldest + posted & ring.length - 1];
        free(slot);
        long answer = Ucp.receiveMessage(worker, slot.memory, 0, TransportMessage.CAPACITY, message, receive.of(0));
        if (Ucp.isError(answer)) {
            throw new IllegalStateException("ucp_tag_msg_recv_nbx failed: " + UcxStatus.text((byte) answer));
        }
        slot.request = answer;
        posted++;
        unasked = true;
        searchTurns = 1;
        return true;
    }

    /**
     * Asks all receives, before messages outside of batches are taken: several batches that do not arrive whole hide the
     * whole ones behind them.
     *
     * @return whether a batch is whole, which is read next then
     */
    @Override
    public boolean findWhole() {
        Slot[] all = slots;
        for (int i = 0; all != null && i < posted; i++) {
            if (Ucp.received(all[oldest + i & all.length - 1].request, info.address()) != Ucp.IN_PROGRESS) {
                searching = true;
                unasked = true;
                return true;
            }
        }
        return false;
    }

    /** The ring with a slot that is not posted. */
    private Slot[] withRoom(Slot[] all) {
        if (posted < all.length) {
            return all;
        }
        Slot[] grown = new Slot[2 * posted];
        Arrays.setAll(grown, i -> i < posted ? all[oldest + i & posted - 1] : new Slot(arena));
        slots = grown;
        oldest = 0;
        return grown;
    }

    private static void free(Slot slot) {
        if (slot.request != 0) {
            Ucp.free(slot.request);
            slot.request = 0;
        }
    }

    /** Whether there are records to read before UCX takes in more. */
    boolean hasUnread() {
        return reading || unasked;
    }

    /** Whether nothing may be unread, also not what UCX has not reported as work. */
    boolean isIdle() {
        return !reading && !unasked && !unsearched && searchTurns == 0;
    }

    /** UCX has done work that was no message: a batch may have arrived behind one that does not arrive whole. */
    void noteWork() {
        if (searchTurns == 0) {
            searchTurns = SEARCH_TURNS;
        }
    }

    /**
     * Reads records.
     *
     * @param worked the amount of work of UCX since the last call
     * @return the number of records
     */
    int read(int worked) {
        begun = 0;
        Slot[] all = slots;
        if (all == null) {
            return 0;
        }
        unasked |= worked > 0 || unsearched;
        unsearched = worked > 0;
        if (searchTurns > 0 && !reading && --searchTurns == 0) {
            searching = true;
            unasked = true;
        }
        int count = 0;
        while (count < RECORDS_MAX && (reading || unasked)) {
            if (!reading) {
                if (!tryBegin(all)) {
                    break;
                }
                begun++;
                // What precedes the batch may have had batches adopted, for which the ring grows.
                all = Objects.requireNonNull(slots, "slots");
                // Mostly this is all that UCX has worked, and another call would find nothing. Adopted ones may wait.
                unasked = begun != worked || stuck > 0 || posted - stuck > RECEIVES;
            }
            count += read(all[oldest + stuck & all.length - 1].memory, RECORDS_MAX - count);
            if (at >= end) {
                endBatch(all);
                all = Objects.requireNonNull(slots, "slots");
            }
        }
        if (begun + worked == 0 && posted - stuck < RECEIVES) {
            // One, because what arrives meanwhile waits.
            post(all, posted - stuck + 1);
        }
        return count;
    }

    /** The number of batches whose reading began in the last call. */
    int begun() {
        return begun;
    }

    /**
     * Begins to read the oldest batch that is whole. One that is stuck may be whole by now, and precedes others of its
     * sender. If the next one is not whole, it is stuck if the one behind it is.
     */
    private boolean tryBegin(Slot[] all) {
        int count = searching ? posted : Math.min(stuck + 2, posted);
        searching = false;
        for (int i = 0; i < count; i++) {
            Slot slot = all[oldest + i & all.length - 1];
            byte status = Ucp.received(slot.request, info.address());
            if (status != Ucp.IN_PROGRESS) {
                stuck = i;
                begin(slot, status);
                return true;
            }
        }
        unasked = false;
        return false;
    }

    private void begin(Slot slot, byte status) {
        reading = true;
        at = Batch.RECORDS;
        end = (int) Math.min(info.get(JAVA_LONG, Ucp.INFO_LENGTH), TransportMessage.CAPACITY);
        long tag = info.get(JAVA_LONG, Ucp.INFO_TAG);
        UcxEndpoint sender = endpoints.find(TransportMessage.endpoint(tag));
        from = null;
        if (sender == null || !sender.state().isMade() || sender.state().hasEnded()) {
            return;
        }
        LeavableLanes lanes = sender.state().lanes();
        if (lanes != null && (lanes.ignoresUcx() || !sender.state().isCurrent(tag))) {
            // The peer sends it again, or has.
            return;
        }
        if (status != Ucp.OK || end < Batch.RECORDS) {
            sender.state()
                    .failViolation(
                            "batch of messages makes no sense: length=" + end + " bytes, " + UcxStatus.text(status));
            return;
        }
        long word = slot.memory.get(JAVA_LONG, 0);
        if (lanes == null ? arrivals.takeBefore(sender, word) : lanes.tryBegin(word)) {
            from = sender;
            sender.state().setBeingRead(true);
        }
    }

    private int read(MemorySegment batch, int recordsMax) {
        UcxEndpoint sender = from;
        int count = 0;
        while (sender != null && at < end && count < recordsMax) {
            count++;
            int next = sender.state().hasEnded() ? 0 : records.take(sender.state(), batch, at, end);
            if (next == 0) {
                sender = null;
            }
            at = next;
        }
        if (sender == null) {
            leaveOff();
            at = end;
        }
        return count;
    }

    private void leaveOff() {
        UcxEndpoint sender = from;
        from = null;
        if (sender != null) {
            sender.state().setBeingRead(false);
        }
    }

    private void endBatch(Slot[] all) {
        reading = false;
        leaveOff();
        if (stuck > 0) {
            keepStuck(all);
        }
        oldest++;
        posted--;
        if (posted - stuck < POSTED_MIN) {
            post(all, RECEIVES);
        }
    }

    /** Puts the slot that was read before those that are stuck. */
    private void keepStuck(Slot[] all) {
        int mask = all.length - 1;
        Slot read = all[oldest + stuck & mask];
        for (int i = stuck; i > 0; i--) {
            all[oldest + i & mask] = all[oldest + i - 1 & mask];
        }
        all[oldest & mask] = read;
    }

    /** The worker closes: cancels the receives. */
    void close() {
        Slot[] all = slots;
        if (all != null) {
            slots = null;
            for (int i = 0; i < posted; i++) {
                Ucp.cancel(worker, all[oldest + i & all.length - 1].request);
            }
            for (Slot slot : all) {
                free(slot);
            }
        }
    }
}
