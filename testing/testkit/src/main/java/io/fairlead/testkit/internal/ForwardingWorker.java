package io.fairlead.testkit.internal;

import io.fairlead.spi.Connection;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.TransportWorker;

/** Passes each call on to another worker. A test's worker extends it and overrides what the test is about. */
public class ForwardingWorker implements TransportWorker {
    private final TransportWorker inner;

    public ForwardingWorker(TransportWorker inner) {
        this.inner = inner;
    }

    @Override
    public byte[] address() {
        return inner.address();
    }

    @Override
    public TransportEndpoint connect(EndpointHost host, byte[] peerAddress, Connection connection) {
        return inner.connect(host, peerAddress, connection);
    }

    @Override
    public boolean takesConnection() {
        return inner.takesConnection();
    }

    @Override
    public boolean connectsByItself() {
        return inner.connectsByItself();
    }

    @Override
    public int progress() {
        return inner.progress();
    }

    @Override
    public boolean arm() {
        return inner.arm();
    }

    @Override
    public void close() {
        inner.close();
    }
}
