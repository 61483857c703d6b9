package io.fairlead.benchmarks.contest;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.cli.measure.Work;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Tagged messages of a worker. */
public final class FairleadLink implements Link, Completion {
    private static final long TAG = 1;

    private final FairleadPeer peer;
    private final Worker worker;
    private final String port;
    private @Nullable Endpoint endpoint;
    private final Completion.Immediate sent = this::sent;
    private Window window = new Window(1, 0, 0, true);
    private MemorySegment[] outgoing = {};
    private MemorySegment[] inbox = {};
    private boolean[] busy = {};
    /** Of the message that each receive is for. */
    private long[] numbers = {};

    private int size;
    private int missing;
    private long posted;
    private int taken;
    /** The place of the next message to be sent. */
    private int next;

    /** Listens, or connects to a port. */
    public FairleadLink(FairleadPeer peer, Optional<String> address) {
        this.peer = peer;
        this.worker = peer.worker();
        if (address.isPresent()) {
            port = "";
            endpoint = peer.connect(Integer.parseInt(address.get()));
        } else {
            port = String.valueOf(peer.listen());
        }
    }

    @Override
    public String address() {
        return port;
    }

    @Override
    public void awaitPeer() {
        if (!port.isEmpty()) {
            endpoint = peer.accept();
        }
    }

    /** Once connected. */
    public Endpoint endpoint() {
        return endpoint(endpoint);
    }

    private static Endpoint endpoint(@Nullable Endpoint connected) {
        if (connected == null) {
            throw new IllegalStateException("nobody has connected");
        }
        return connected;
    }

    @Override
    public void begin(Work work, int sends, int receives, int inFlight) {
        finish();
        window.close();
        size = work.size();
        window = new Window(size, Math.min(sends, inFlight), Math.min(receives, inFlight), work.numbered());
        outgoing = window.outgoing();
        busy = new boolean[outgoing.length];
        inbox = window.inbox();
        numbers = new long[inbox.length];
        missing = receives;
        posted = 0;
        taken = 0;
        next = 0;
        for (int i = 0; i < inbox.length; i++) {
            post(i);
        }
    }

    @Override
    public void finish() {
        for (int i = 0; i < busy.length; i++) {
            while (busy[i]) {
                worker.progress();
            }
        }
        peer.settle();
    }

    @Override
    public void send(long number) {
        int slot = next;
        next = slot + 1 == outgoing.length ? 0 : slot + 1;
        while (busy[slot]) {
            worker.progress();
        }
        Endpoint to = endpoint();
        Payload.write(outgoing[slot], size, number);
        busy[slot] = true;
        while (to.send(outgoing[slot], 0, size, TAG, sent, slot) < 0) {
            if (to.failure().isPresent()) {
                throw to.failure().get();
            }
            worker.progress();
        }
    }

    private void sent(Request request) {
        ok(request);
        busy[(int) request.userData()] = false;
    }

    private void ok(Request request) {
        if (request.status() != Status.OK) {
            throw new IllegalStateException("an operation ended " + request.status());
        }
    }

    private void post(int slot) {
        if (missing == 0) {
            return;
        }
        numbers[slot] = posted;
        FairleadPeer.taken(endpoint().receive(inbox[slot], 0, size, TAG, Worker.FULL_TAG_MASK, this, slot));
        posted++;
        missing--;
    }

    /** A receive has its message: that of its own place in the order of receives, whatever the order of completions. */
    @Override
    public void completed(Request request) {
        ok(request);
        int slot = (int) request.userData();
        Payload.length(size, (int) request.length());
        Payload.check(inbox[slot], size, numbers[slot]);
        taken++;
        post(slot);
    }

    @Override
    public int poll() {
        peer.advance();
        // Some may have come while something else was waited for.
        int since = taken;
        taken = 0;
        return since;
    }

    @Override
    public void close() {
        finish();
        peer.close();
        window.close();
    }
}
