package io.fairlead.internal.engine;

import io.fairlead.internal.config.Settings;
import io.fairlead.internal.handshake.HandshakeMessage.Resume;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.CloseSteps;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The connections of a worker that are made again when their sockets fail. Also lists those without a socket. */
final class Failover implements Resumption.Host {
    /**
     * Those of a context that peers have made, by the names that peers know: a peer reaches the listener of any worker. The two
     * sides of a connection have one name, and both may be in this context.
     */
    static final class Names {
        private final ConcurrentHashMap<Long, Resumption> known = new ConcurrentHashMap<>();

        /** The connection of a name, of whatever worker; null if it has ended. */
        @Nullable Resumption find(long name) {
            return known.get(name);
        }
    }

    /** The worker. */
    interface Owner {
        Selector selector();

        long nowNs();

        Settings settings();

        WorkerStatistics statistics();

        void enqueue(Runnable command);
    }

    private final Owner owner;
    private final long incarnation;
    private final Names names;
    private final TurnWork work;
    private final List<Resumption> active = new ArrayList<>();
    /** Connections that peers have made, and make again. */
    private int served;

    Failover(Owner owner, long incarnation, Names names, TurnWork work) {
        this.owner = owner;
        this.incarnation = incarnation;
        this.names = names;
        this.work = work;
    }

    /** Adds the connection of an endpoint, which has a socket. */
    Resumption add(Resumption.Owner endpoint, EndpointPeer peer, boolean connector, SocketChannel socket) {
        Resumption added = new Resumption(this, endpoint, peer, connector, socket);
        if (!connector) {
            names.known.put(added.name(), added);
            served++;
        }
        return added;
    }

    /** As {@link io.fairlead.internal.handshake.HandshakeHost#handOver}. */
    String handOver(Resume resume, SocketChannel socket) {
        if (resume.incarnation() != incarnation) {
            return "the peer was restarted: another incarnation listens there";
        }
        Resumption found = names.find(resume.name());
        if (found == null) {
            return "no connection can be resumed by this name: its endpoint has ended here";
        }
        if (found.host().equals(this)) {
            found.serve(resume, socket);
        } else {
            // The owner's selector takes it; this one has to forget it first.
            SelectionKey key = socket.keyFor(owner.selector());
            if (key != null) {
                key.cancel();
            }
            found.host().enqueue(() -> found.serve(resume, socket));
        }
        return "";
    }

    // Called by the connections.

    @Override
    public Selector selector() {
        return owner.selector();
    }

    @Override
    public long nowNs() {
        return owner.nowNs();
    }

    @Override
    public Settings settings() {
        return owner.settings();
    }

    @Override
    public WorkerStatistics statistics() {
        return owner.statistics();
    }

    @Override
    public void enqueue(Runnable command) {
        owner.enqueue(command);
    }

    @Override
    public void add(Resumption resumption) {
        if (!active.contains(resumption)) {
            active.add(resumption);
        }
        work.connections = true;
    }

    @Override
    public void forget(Resumption resumption) {
        if (names.known.remove(resumption.name(), resumption)) {
            served--;
        }
    }

    /** Whether a peer may have to reach a listener, to make its connection again. */
    boolean servesPeers() {
        return served > 0;
    }

    /** Whether a peer may reach this worker to make a connection again, of whichever worker of the context. */
    boolean servesResumption() {
        return !names.known.isEmpty();
    }

    boolean isEmpty() {
        return active.isEmpty();
    }

    void advance(long nowNs) {
        // A connection may be added meanwhile.
        for (int i = active.size() - 1; i >= 0; i--) {
            Resumption resumption = active.get(i);
            if (resumption.advance(nowNs)) {
                active.remove(i);
            }
        }
    }

    /** Gives up those that were not resumed in time; the worker may have been stalled for part of a gap. */
    void expire(long nowNs, long gapNs) {
        for (int i = active.size() - 1; i >= 0; i--) {
            active.get(i).expireIfDue(nowNs, gapNs);
        }
    }

    long longestWaitNs() {
        long waitNs = Long.MAX_VALUE;
        for (int i = 0; i < active.size(); i++) {
            waitNs = Math.min(waitNs, active.get(i).longestWaitNs());
        }
        return waitNs;
    }

    /** The worker is closed. */
    void close() {
        CloseSteps.runEach(List.copyOf(active), Resumption::closed);
        active.clear();
    }
}
