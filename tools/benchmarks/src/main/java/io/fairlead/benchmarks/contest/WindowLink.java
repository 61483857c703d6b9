package io.fairlead.benchmarks.contest;

import io.fairlead.cli.measure.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Messages from and to buffers that the link's library reads and writes itself: as many as are on their way at once, and as many for each such contestant. */
abstract class WindowLink implements Link {
    private static final int MESSAGES = 64;
    /** As many bytes as the caches of a processor keep, since others send from one buffer; or two messages, so that one follows the other. */
    private static final int BYTES = 2 << 20;
    /** Longer messages go one at a time. */
    private static final int LONG = 64 << 20;

    private static final long ALIGNMENT = 64;
    /** Turns without anything after which all has left that can. */
    private static final int IDLE_TURNS = 100;

    private Arena arena = Arena.ofConfined();
    private MemorySegment[] outgoing = {};
    private MemorySegment[] inbox = {};
    private boolean[] busy = {};
    /** Of the message that each receive is for. */
    private long[] numbers = {};

    private int size;
    private boolean numbered;
    private int missing;
    private long posted;
    private int taken;
    /** The slot of the next message to be sent. */
    private int next;

    /** Posts a send; {@link #sent} follows, perhaps before this returns. */
    protected abstract void postSend(MemorySegment message, int length, int slot);

    /** Posts a receive; {@link #received} follows, perhaps before this returns. */
    protected abstract void postReceive(MemorySegment buffer, int length, int slot);

    /** Makes progress, and returns how much. */
    protected abstract int progress();

    /** Makes progress, and may idle. */
    protected void advance() {
        int _ = progress();
    }

    @Override
    public void begin(Work work, int sends, int receives, int inFlight) {
        finish();
        arena.close();
        arena = Arena.ofConfined();
        size = work.size();
        numbered = work.numbered();
        int most = !numbered ? Integer.MAX_VALUE : size < LONG ? Math.clamp(BYTES / size, 2, MESSAGES) : 1;
        outgoing = buffers(Math.min(most, Math.min(sends, inFlight)));
        busy = new boolean[outgoing.length];
        inbox = buffers(Math.min(most, Math.min(receives, inFlight)));
        numbers = new long[inbox.length];
        missing = receives;
        posted = 0;
        taken = 0;
        next = 0;
        for (int slot = 0; slot < inbox.length; slot++) {
            post(slot);
        }
    }

    /** All in one buffer where no message is compared. */
    private MemorySegment[] buffers(int count) {
        MemorySegment[] buffers = new MemorySegment[count];
        for (int i = 0; i < count; i++) {
            buffers[i] = i > 0 && !numbered ? buffers[0] : arena.allocate(size, ALIGNMENT);
        }
        return buffers;
    }

    @Override
    public void finish() {
        for (int slot = 0; slot < busy.length; slot++) {
            awaitSent(slot);
        }
        for (int turns = 0; turns < IDLE_TURNS; ) {
            turns = progress() == 0 ? turns + 1 : 0;
        }
    }

    private void awaitSent(int slot) {
        while (busy[slot]) {
            int _ = progress();
        }
    }

    @Override
    public void send(long number) {
        int slot = next;
        next = slot + 1 == outgoing.length ? 0 : slot + 1;
        awaitSent(slot);
        if (numbered) {
            Payload.write(outgoing[slot], size, number);
        }
        busy[slot] = true;
        postSend(outgoing[slot], size, slot);
    }

    /** Bytes of a message of this turn. */
    protected final int size() {
        return size;
    }

    /** A message has left its buffer. */
    protected final void sent(int slot) {
        busy[slot] = false;
    }

    private void post(int slot) {
        if (missing > 0) {
            numbers[slot] = posted;
            posted++;
            missing--;
            postReceive(inbox[slot], size, slot);
        }
    }

    /** A receive has its message: that of its own slot in the order of receives, whatever the order of completions. */
    protected final void received(int slot) {
        if (numbered) {
            Payload.check(inbox[slot], size, numbers[slot]);
        }
        taken++;
        post(slot);
    }

    @Override
    public int poll() {
        advance();
        // Some may have come while something else was waited for.
        int since = taken;
        taken = 0;
        return since;
    }

    /** After everything that may use the buffers has ended. */
    @Override
    public void close() {
        arena.close();
    }
}
