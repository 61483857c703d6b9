package io.fairlead.transport.tcp;

import io.fairlead.spi.Selectable;
import io.fairlead.spi.WorkerHost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Selector;

/** A worker's host with a selector of its own. */
final class FakeWorkerHost implements WorkerHost, AutoCloseable {
    private final Selector selector;
    int polls;

    FakeWorkerHost() {
        try {
            selector = Selector.open();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public Selector selector() {
        return selector;
    }

    @Override
    public int pollSelector() {
        polls++;
        return select(false);
    }

    /** Blocks until a channel is ready, at most for a while, and lets it run; returns how many were. */
    int await() {
        return select(true);
    }

    private int select(boolean wait) {
        try {
            return wait
                    ? selector.select(key -> ((Selectable) key.attachment()).ready(key), 10_000)
                    : selector.selectNow(key -> ((Selectable) key.attachment()).ready(key));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    @Override
    public void close() {
        try {
            selector.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
