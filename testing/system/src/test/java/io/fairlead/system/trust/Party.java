package io.fairlead.system.trust;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadConfig;
import io.fairlead.Worker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A node: a context with one worker. */
final class Party implements AutoCloseable {
    private final Context context;
    private final Worker worker;
    private final List<Endpoint> accepted = new ArrayList<>();

    Party(FairleadConfig config) {
        context = Context.open(config);
        worker = context.newWorker();
    }

    Worker worker() {
        return worker;
    }

    InetSocketAddress listen() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return worker.listen(any, new EndpointHandler() {
                    @Override
                    public void connected(Endpoint endpoint) {
                        accepted.add(endpoint);
                    }
                })
                .address();
    }

    Endpoint connect(InetSocketAddress address) {
        return worker.connect(address, EndpointHandler.NONE);
    }

    /** The endpoints that the listener has accepted, oldest first. */
    List<Endpoint> accepted() {
        return accepted;
    }

    @Override
    public void close() {
        worker.close();
        context.close();
    }
}
