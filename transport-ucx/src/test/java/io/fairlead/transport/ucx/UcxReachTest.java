package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.PathClass;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.Reach;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the transport says of a peer on the same host. */
@Timeout(60)
final class UcxReachTest {
    /** A process that is killed may block UCX's queues for others, and namespaces of users keep them apart no more than sysv does. */
    @Test
    void shouldOfferSharedMemoryOnlyToWhoAsksForIt() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().cause());
        assertOffered(FairleadConfig.defaults(), true);
        assertOffered(FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "ucx"), false);
    }

    private static void assertOffered(FairleadConfig config, boolean onRequest) {
        UcxTransport transport = new UcxTransport(new TransportSetup(config, 1));
        TransportWorker worker = transport.newWorker(new Nowhere());
        try {
            Reach reach = transport.reach(worker.address(), transport.version(), worker.address());
            assertEquals(PathClass.SHARED_MEMORY, reach.pathClass());
            assertEquals(onRequest, reach.onRequest());
        } finally {
            worker.close();
            transport.close();
        }
    }

    private static final class Nowhere implements WorkerHost {
        @Override
        public Selector selector() {
            throw new UnsupportedOperationException("no selector");
        }

        @Override
        public int pollSelector() {
            return 0;
        }

        @Override
        public void wakeup() {
            throw new UnsupportedOperationException("nobody waits");
        }
    }
}
