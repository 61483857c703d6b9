package io.fairlead.benchmarks.scale;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.benchmarks.contest.FairleadLink;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.contest.Idle;
import io.fairlead.benchmarks.contest.LinkSide;
import io.fairlead.cli.measure.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Messages of one endpoint, while others of its worker are idle. Its argument is the transport. */
final class EndpointsSide implements Side {
    /** Begins a turn that connects further endpoints; behind it, how many. */
    static final String CONNECT = "connect ";
    /** A turn that returns the bytes of each of these; nothing where that is not known. */
    static final String BYTES = "bytes";
    /** Handshakes at a time: fewer than a listener takes of one address. */
    private static final int BATCH = 32;

    private final FairleadPeer peer;
    private final LinkSide messages;
    private final int port;
    private final List<Endpoint> idle = new ArrayList<>();
    private OptionalLong before = OptionalLong.empty();

    EndpointsSide(List<String> arguments, Optional<String> address) {
        peer = new FairleadPeer(Tables.config(arguments.getFirst()));
        messages = new LinkSide(new FairleadLink(peer, address), Idle.BACK_OFF);
        port = Integer.parseInt(address.orElse("0"));
    }

    @Override
    public String address() {
        return messages.address();
    }

    @Override
    public void awaitPeer() {
        messages.awaitPeer();
    }

    @Override
    public String turn(String line, Runnable begun) {
        if (line.startsWith(CONNECT)) {
            connect(Integer.parseInt(line.substring(CONNECT.length())));
            return "";
        }
        return line.equals(BYTES) ? bytes() : messages.turn(line, begun);
    }

    private void connect(int count) {
        // A connection that ends at once loads what connecting in batches needs.
        Endpoint brief = peer.connect(port);
        brief.close();
        peer.await(() -> brief.state() == EndpointState.CLOSED || brief.state() == EndpointState.FAILED);
        before = Memory.used();
        try {
            while (idle.size() < count) {
                List<Endpoint> batch = new ArrayList<>();
                for (int i = 0; i < Math.min(BATCH, count - idle.size()); i++) {
                    batch.add(peer.worker().connect(FairleadPeer.loopback(port), EndpointHandler.NONE));
                }
                peer.await(() -> batch.stream().noneMatch(one -> one.state() == EndpointState.CONNECTING));
                for (Endpoint endpoint : batch) {
                    endpoint.failure().ifPresent(failure -> {
                        throw failure;
                    });
                    idle.add(endpoint);
                }
            }
        } catch (FairleadException | OutOfMemoryError limit) {
            throw new IllegalStateException(
                    "stopped at " + (idle.size() + 1) + " endpoints: " + limit.getMessage(), limit);
        }
    }

    private String bytes() {
        OptionalLong after = Memory.used();
        return before.isPresent() && after.isPresent() && !idle.isEmpty()
                ? String.valueOf((after.getAsLong() - before.getAsLong()) / idle.size())
                : "";
    }

    /** The other side may connect meanwhile. */
    @Override
    public void rest() {
        peer.advance();
    }

    @Override
    public void wake() {
        peer.worker().wakeup();
    }

    @Override
    public void close() {
        messages.close();
    }
}
