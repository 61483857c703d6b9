package io.fairlead.transport.ucx;

import io.fairlead.AccessRight;
import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.Connection;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.WorkerHost;
import io.fairlead.testkit.internal.RawHost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.EnumSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A worker of the UCX transport without a core, which does what it is told and checks nothing: a hostile peer, or its victim. */
final class RawNode implements AutoCloseable {
    private final Selector selector = openSelector();
    private final Nobody nobody = new Nobody();
    private final UcxTransport transport;
    final UcxWorker worker;

    RawNode() {
        this(FairleadConfig.defaults());
    }

    private RawNode(FairleadConfig base) {
        FairleadConfig config = new UcxUnderTest().configure(base);
        transport = new UcxTransport(new TransportSetup(config, 1));
        worker = (UcxWorker) transport.newWorker(new Host());
    }

    /** A node whose UCX sends every message by rendezvous that is longer. */
    static RawNode withEagerMax(int length) {
        return new RawNode(FairleadConfig.defaults().with(ConfigKeys.EAGER_MAX, length));
    }

    /** A node that makes its endpoints before another does. */
    static RawNode leading(RawNode follower) {
        RawNode node = new RawNode();
        while (Long.compareUnsigned(node.number(), follower.number()) >= 0) {
            node.close();
            node = new RawNode();
        }
        return node;
    }

    private long number() {
        return address().worker();
    }

    WorkerAddress address() {
        return Objects.requireNonNull(WorkerAddress.decode(worker.address()));
    }

    /** Allocates a region that peers map; null if the transport leaves that to the core. */
    @Nullable RegisteredMemory region(long length) {
        return transport.allocate(length, EnumSet.allOf(AccessRight.class));
    }

    /** Makes an endpoint that only UCX knows. */
    long endpoint(RawNode peer) {
        return worker.parts()
                .wireUps()
                .maker()
                .make(peer.address().address(), 0, "raw")
                .handle();
    }

    /** Sends a message under any tag of UCX's. */
    void send(long endpoint, MemorySegment message, long length, long tag) {
        UcxRequests requests = worker.parts().requests();
        UcxRequest request = requests.take(UcxRequest.Kind.MESSAGE_OUT, nobody, null, length);
        requests.posted(request, Ucp.tagSend(endpoint, message, 0, length, tag, requests.plain.of(request.index)));
    }

    private static final class Nobody implements UcxRequest.Owner {
        private final UcxEndpointState state = new UcxEndpointState(new RawHost(1, 1, true));

        @Override
        public UcxEndpointState state() {
            return state;
        }

        @Override
        public void ended(UcxRequest request) {
            // Nobody waits for it.
        }
    }

    private static Selector openSelector() {
        try {
            return Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes an endpoint, which has yet to begin. */
    UcxEndpoint connect(RawHost host, byte[] peerAddress) {
        return (UcxEndpoint) worker.connect(host, peerAddress, new NoConnection());
    }

    @Override
    public void close() {
        worker.close();
        transport.close();
        try {
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Host implements WorkerHost {
        @Override
        public Selector selector() {
            return selector;
        }

        @Override
        public int pollSelector() {
            return 0;
        }

        @Override
        public void wakeup() {
            selector.wakeup();
        }
    }

    private static final class NoConnection implements Connection {
        @Override
        public int read(ByteBuffer target) {
            throw new UnsupportedOperationException("no connection");
        }

        @Override
        public int write(ByteBuffer source) {
            throw new UnsupportedOperationException("no connection");
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int count) {
            throw new UnsupportedOperationException("no connection");
        }

        @Override
        public SocketChannel channel() {
            throw new UnsupportedOperationException("no connection");
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }
}
