package io.fairlead.benchmarks.contest;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Tagged messages of a worker. */
public final class FairleadLink extends WindowLink implements Completion {
    private static final long TAG = 1;

    private final FairleadPeer peer;
    private final String port;
    private @Nullable Endpoint endpoint;
    private final Completion.Immediate sent = this::sent;

    /** Listens, or connects to a port. */
    public FairleadLink(FairleadPeer peer, Optional<String> address) {
        this.peer = peer;
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
        Endpoint connected = endpoint;
        if (connected == null) {
            throw new IllegalStateException("nobody has connected");
        }
        return connected;
    }

    @Override
    protected void postSend(MemorySegment message, int size, int slot) {
        Endpoint to = endpoint();
        while (to.send(message, 0, size, TAG, sent, slot) < 0) {
            if (to.failure().isPresent()) {
                throw to.failure().get();
            }
            int _ = progress();
        }
    }

    private void sent(Request request) {
        sent(slot(request));
    }

    private static int slot(Request request) {
        if (request.status() != Status.OK) {
            throw new IllegalStateException("an operation ended " + request.status());
        }
        return (int) request.userData();
    }

    @Override
    protected void postReceive(MemorySegment buffer, int size, int slot) {
        FairleadPeer.taken(endpoint().receive(buffer, 0, size, TAG, Worker.FULL_TAG_MASK, this, slot));
    }

    /** A receive has its message. */
    @Override
    public void completed(Request request) {
        int slot = slot(request);
        Payload.length(size(), (int) request.length());
        received(slot);
    }

    @Override
    protected int progress() {
        return peer.worker().progress();
    }

    @Override
    protected void advance() {
        peer.advance();
    }

    @Override
    public void close() {
        finish();
        peer.close();
        super.close();
    }
}
