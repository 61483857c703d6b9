package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.WorkerHost;
import java.nio.channels.Selector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/** The thread that ends a worker's wait, where it cannot be started at first. */
@Timeout(60)
final class WakeupThreadTest {
    private final CountDownLatch woken = new CountDownLatch(1);
    private final AtomicBoolean refused = new AtomicBoolean(true);

    @Test
    void shouldLetNoWorkerWaitThatNobodyWouldWake() throws InterruptedException {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().cause());
        UcxContext context = new UcxContext(new TransportSetup(FairleadConfig.defaults(), 1));
        UcpWorker worker = context.ucp().newWorker(new UcpWorkerParams());
        WakeupThread thread = new WakeupThread(worker.getNativeId(), new Host(), this::newThread);
        try {
            assertFalse(thread.arm());
            assertFalse(thread.arm(), "armed without a thread that watches");
            refused.set(false);
            while (!thread.arm()) {
                Ucp.progress(worker.getNativeId());
                Thread.onSpinWait();
            }
            worker.signal();
            assertTrue(woken.await(30, TimeUnit.SECONDS), "nobody was woken");
        } finally {
            thread.close(worker);
            worker.close();
            context.close();
        }
    }

    private Thread newThread(Runnable task) {
        return new Thread(task) {
            @Override
            public void start() {
                if (refused.get()) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                super.start();
            }
        };
    }

    private final class Host implements WorkerHost {
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
            woken.countDown();
        }
    }
}
