package io.fairlead.transport.tcp;

import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A worker of the transport on fakes of the core. */
final class TestWorker implements AutoCloseable {
    /** One endpoint with what is around it. */
    record End(TcpEndpoint endpoint, FakeEndpointHost host, FakeConnection connection) {}

    static final int QUEUE_BYTES = 64 << 10;

    final FakeWorkerHost host = new FakeWorkerHost();
    final TcpWorker worker;
    final List<End> ends = new ArrayList<>();

    TestWorker() {
        this(QUEUE_BYTES);
    }

    TestWorker(int queueBytes) {
        worker = new TcpWorker(host, new TcpSettings(0, 0, queueBytes, false));
    }

    End connect(SocketChannel channel) {
        FakeEndpointHost endpointHost = new FakeEndpointHost();
        FakeConnection connection = new FakeConnection(channel);
        TcpEndpoint endpoint = (TcpEndpoint) worker.connect(endpointHost, new byte[0], connection);
        endpointHost.endpoint = endpoint;
        End end = new End(endpoint, endpointHost, connection);
        ends.add(end);
        return end;
    }

    /** As the core does it: an endpoint that has failed is closed before progress returns. */
    int progress() {
        int events = worker.progress();
        // By number: an iterator is an object, and some tests count what is allocated.
        for (int i = 0; i < ends.size(); i++) {
            End end = ends.get(i);
            if (end.host().failure != null || end.host().ended) {
                end.endpoint().close();
            }
        }
        return events;
    }

    @Override
    public void close() {
        for (End end : ends) {
            Objects.requireNonNull(end).endpoint().close();
        }
        worker.close();
        host.close();
    }
}
