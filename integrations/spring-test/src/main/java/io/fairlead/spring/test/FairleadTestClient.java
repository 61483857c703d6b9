package io.fairlead.spring.test;

import io.fairlead.FairleadConfig;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.services.PayloadCodec;
import io.fairlead.services.TypedServices;
import io.fairlead.spring.FairleadServices;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

/** Calls the typed services of the application under test, from a node of its own. It connects with the first call of a method here. Thread-safe. */
public final class FairleadTestClient implements AutoCloseable {
    private static final long LIMIT_S = 30;

    private final FairleadServices services;
    private final ListableBeanFactory beans;
    private @Nullable Node node;
    private @Nullable Peer peer;

    FairleadTestClient(FairleadServices services, ListableBeanFactory beans) {
        this.services = services;
        this.beans = beans;
    }

    /**
     * A client of a service, with the application's codec: its only {@link PayloadCodec} bean, or the primary one.
     *
     * @param <T> the interface
     * @param type the interface
     * @return calls the application over a real connection
     */
    public <T> T of(Class<T> type) {
        return of(type, beans.getBean(PayloadCodec.class));
    }

    /**
     * A client of a service.
     *
     * @param <T> the interface
     * @param type the interface
     * @param codec the service's codec
     * @return calls the application over a real connection
     */
    public <T> T of(Class<T> type, PayloadCodec codec) {
        return TypedServices.client(peer(), type, codec);
    }

    /**
     * The application's node, as its caller sees it: for requests without an interface, deadlines and headers.
     *
     * @return connected
     */
    public synchronized Peer peer() {
        Peer known = peer;
        if (known == null) {
            InetSocketAddress address = services.address()
                    .orElseThrow(() -> new IllegalStateException(
                            "the application does not listen yet; ask for clients in tests, when it has started"));
            Node caller = Node.start(FairleadConfig.defaults());
            node = caller;
            known = caller.connect(address).orTimeout(LIMIT_S, TimeUnit.SECONDS).join();
            peer = known;
        }
        return known;
    }

    /** Closes its node. Idempotent. */
    @Override
    public synchronized void close() {
        Node caller = node;
        if (caller != null) {
            caller.close();
        }
    }
}
