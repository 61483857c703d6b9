package io.fairlead.transport.tcp;

import io.fairlead.spi.Connection;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.util.Arrays;

/**
 * The endpoints of one worker and their turns. Each progress writes posted operations, reads received bytes, and writes
 * what those have caused.
 *
 * <p>A few endpoints are read without a select: a read costs one system call, as a select would. With many endpoints,
 * the selector finds the readable ones.
 */
final class TcpWorker implements TransportWorker, TcpEndpoint.Lists {
    /** Up to this number of endpoints, each is read directly. */
    static final int TRIED_MAX = 8;
    /** Maximum time without reads of the other endpoints while some handle their buffered frames. */
    private static final long UNTRIED_NS = 100_000;

    /** The address in the handshake: whether this side requests checksums. */
    private static final byte[] PLAIN = {0};

    private static final byte[] CHECKSUM = {1};

    private final WorkerHost host;
    private final TcpSettings settings;
    final WorkerMemory memory = new WorkerMemory();

    private TcpEndpoint[] endpoints = new TcpEndpoint[TRIED_MAX];
    private int endpointCount;
    /** The index of the last endpoint that was read. */
    private int tried;
    /** The time of the last read of all endpoints while some handled buffered frames. */
    private long triedNs = System.nanoTime() - UNTRIED_NS;
    /** Endpoints with something to write. */
    private TcpEndpoint[] dirty = new TcpEndpoint[TRIED_MAX];

    private int dirtyCount;
    /** Endpoints that are readable, or that have buffered frames. */
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
        // One side's request is enough, and each side knows the other's.
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

    /** Backwards, because a removed endpoint is replaced by the last. */
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

    /**
     * While some endpoints handle buffered frames in short turns, reading the others in every turn would cost too much.
     */
    private boolean isTryDue() {
        long nowNs = System.nanoTime();
        if (nowNs - triedNs < UNTRIED_NS) {
            return false;
        }
        triedNs = nowNs;
        return true;
    }

    /** Each is read anyway. */
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
        // Endpoints that became ready meanwhile are after those.
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

    /** The selector signals data in a socket, but not data that was read from the socket already. */
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
