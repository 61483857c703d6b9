package io.fairlead.transport.tcp;

import io.fairlead.spi.Connection;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.util.Arrays;

/**
 * The endpoints of one worker and their turns. Each progress writes what was posted, reads what has arrived, and writes what the
 * arrivals have caused.
 *
 * <p>A few endpoints are read without asking the selector first: an attempt costs one system call, as the question would. With
 * many, the selector tells which.
 */
final class TcpWorker implements TransportWorker, TcpEndpoint.Lists {
    /** Up to so many endpoints are simply tried. */
    static final int TRIED_MAX = 8;
    /** How long the others may go untried while some work on what they have read. */
    private static final long UNTRIED_NS = 100_000;

    /** What is told in the handshake: whether this side wants checksums. */
    private static final byte[] PLAIN = {0};

    private static final byte[] CHECKSUM = {1};

    private final WorkerHost host;
    private final TcpSettings settings;
    final WorkerMemory memory = new WorkerMemory();

    private TcpEndpoint[] endpoints = new TcpEndpoint[TRIED_MAX];
    private int endpointCount;
    /** The place of the last one that was tried. */
    private int tried;
    /** When all were tried while some worked on what they had read. */
    private long triedNs = System.nanoTime() - UNTRIED_NS;
    /** Endpoints with something to write. */
    private TcpEndpoint[] dirty = new TcpEndpoint[TRIED_MAX];

    private int dirtyCount;
    /** Endpoints that the selector has found readable, or that have read more than they have handed on. */
    private TcpEndpoint[] ready = new TcpEndpoint[TRIED_MAX];

    private int readyCount;

    TcpWorker(WorkerHost host, TcpSettings settings) {
        this.host = host;
        this.settings = settings;
    }

    @Override
    public byte[] address() {
        return settings.checksum() ? CHECKSUM : PLAIN;
    }

    @Override
    public boolean takesConnection() {
        return true;
    }

    @Override
    public TransportEndpoint connect(EndpointHost endpointHost, byte[] peerAddress, Connection connection) {
        // Either side's wish is enough, and each knows the other's.
        boolean checksums = settings.checksum() || Arrays.equals(peerAddress, CHECKSUM);
        TcpEndpoint endpoint = TcpEndpoint.open(
                this,
                memory,
                settings,
                host,
                endpointHost,
                checksums ? new ChecksummedConnection(connection, endpointHost.label()) : connection);
        if (endpointCount == endpoints.length) {
            endpoints = Arrays.copyOf(endpoints, endpointCount * 2);
        }
        endpoint.index = endpointCount;
        endpoints[endpointCount++] = endpoint;
        return endpoint;
    }

    @Override
    public void remove(TcpEndpoint endpoint) {
        TcpEndpoint last = endpoints[--endpointCount];
        endpoints[endpoint.index] = last;
        last.index = endpoint.index;
    }

    @Override
    public int progress() {
        int events = dirtyCount == 0 ? 0 : write();
        if (endpointCount > TRIED_MAX) {
            host.pollSelector();
            events += readReady();
        } else if (readyCount > 0 && !isTryDue()) {
            events += readReady();
        } else {
            forgetReady();
            events += readAll();
        }
        if (dirtyCount > 0) {
            events += write();
        }
        return events;
    }

    /** Downwards, because an endpoint that leaves is replaced by the last. */
    private int readAll() {
        int events = 0;
        for (int left = endpointCount; left > 0; left--) {
            tried = tried <= 0 || tried > endpointCount ? endpointCount - 1 : tried - 1;
            if (tried >= 0) {
                events += endpoints[tried].read();
            }
        }
        return events;
    }

    /** While some work on what they have read, it would cost too much to try the others in every turn, if turns are short. */
    private boolean isTryDue() {
        long nowNs = System.nanoTime();
        if (nowNs - triedNs < UNTRIED_NS) {
            return false;
        }
        triedNs = nowNs;
        return true;
    }

    /** Each is tried anyhow. */
    private void forgetReady() {
        for (int i = 0; i < readyCount; i++) {
            ready[i].ready = false;
        }
        readyCount = 0;
    }

    private int readReady() {
        int events = 0;
        int count = readyCount;
        int done = 0;
        while (done < count) {
            TcpEndpoint endpoint = ready[done++];
            endpoint.ready = false;
            events += endpoint.read();
        }
        // What became ready meanwhile has moved up behind those.
        readyCount -= done;
        System.arraycopy(ready, done, ready, 0, readyCount);
        return events;
    }

    private int write() {
        int events = 0;
        int count = dirtyCount;
        int kept = 0;
        for (int i = 0; i < count; i++) {
            TcpEndpoint endpoint = dirty[i];
            long before = endpoint.queue.written();
            SendQueue.Outcome outcome = endpoint.write();
            if (endpoint.queue.written() != before) {
                events++;
            }
            if (outcome == SendQueue.Outcome.EMPTY
                    || (outcome == SendQueue.Outcome.BLOCKED
                            && endpointCount > TRIED_MAX
                            && endpoint.tryAwaitWritable())) {
                endpoint.dirty = false;
            } else {
                dirty[kept++] = endpoint;
            }
        }
        int added = dirtyCount - count;
        System.arraycopy(dirty, count, dirty, kept, added);
        dirtyCount = kept + added;
        return events;
    }

    @Override
    public void addDirty(TcpEndpoint endpoint) {
        if (dirtyCount == dirty.length) {
            dirty = Arrays.copyOf(dirty, dirtyCount * 2);
        }
        dirty[dirtyCount++] = endpoint;
    }

    @Override
    public void addReady(TcpEndpoint endpoint) {
        if (readyCount == ready.length) {
            ready = Arrays.copyOf(ready, readyCount * 2);
        }
        ready[readyCount++] = endpoint;
    }

    /** The selector finds data that waits in a socket, as long as it is there; it does not find data that has left the socket. */
    @Override
    public boolean arm() {
        for (int i = 0; i < dirtyCount; i++) {
            if (!dirty[i].tryAwaitWritable()) {
                return false;
            }
        }
        for (int i = 0; i < readyCount; i++) {
            if (!ready[i].isClosed()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        memory.close();
    }
}
