package io.fairlead.internal.net;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Descriptors;
import io.fairlead.spi.Selectable;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The worker's selector: polled periodically while the worker spins, waited on while it idles. */
public final class SelectorLoop {
    private static final Logger LOG = LoggerFactory.getLogger(SelectorLoop.class);

    /** The descriptors of a selector and of what the JDK opens with the first one. */
    private static final int DESCRIPTORS_MIN = 8;

    private final Selector selector;

    private long polledNs;
    private boolean due = true;

    public SelectorLoop(Selector selector) {
        this.selector = selector;
    }

    /**
     * Opens a selector for a worker.
     *
     * @throws FairleadException {@code LIMIT_REACHED} if there are too few descriptors
     */
    public static SelectorLoop open() {
        int free = Descriptors.free();
        if (free < DESCRIPTORS_MIN) {
            throw new FairleadException(Reason.LIMIT_REACHED, "cannot open a worker: " + Descriptors.shortage(free));
        }
        try {
            return new SelectorLoop(Selector.open());
        } catch (IOException failure) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "cannot open a selector: cause: " + failure.getMessage()
                            + "; raise the limit of open files (ulimit -n)",
                    failure);
        }
    }

    /** The selector for registering channels. */
    public Selector selector() {
        return selector;
    }

    /** Polls if the last poll was at least this long ago, or a wait has ended since. */
    public int pollIfDue(long nowNs, long intervalNs) {
        return isDue(nowNs, intervalNs) ? poll(nowNs) : 0;
    }

    /** Whether the last poll was at least this long ago, or a wait has ended since. */
    public boolean isDue(long nowNs, long intervalNs) {
        return due || nowNs - polledNs >= intervalNs;
    }

    /** Polls for ready channels and calls each one's handler. */
    public int poll(long nowNs) {
        due = false;
        polledNs = nowNs;
        try {
            return selector.selectNow(SelectorLoop::dispatch);
        } catch (IOException failure) {
            throw broken(failure);
        }
    }

    /** Waits until a channel is ready, the worker is woken, or the timeout passes. */
    public void await(long timeoutNs) {
        due = true;
        // An interrupt ends one wait. If it stayed set, it would end all following waits, and the owner would spin.
        boolean interrupted = Thread.interrupted();
        try {
            selector.select(SelectorLoop::ignore, timeoutNs / 1_000_000);
        } catch (IOException failure) {
            throw broken(failure);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public void close() {
        try {
            selector.close();
        } catch (IOException failure) {
            LOG.debug("closing a selector failed", failure);
        }
    }

    private static void dispatch(SelectionKey key) {
        try {
            if (key.isValid() && key.attachment() instanceof Selectable selectable) {
                selectable.ready(key);
            }
        } catch (CancelledKeyException closedMeanwhile) {
            LOG.debug("a channel was closed while it was served", closedMeanwhile);
        }
    }

    /** A wait only has to end; the next poll finds the ready channels again. */
    private static void ignore(SelectionKey key) {}

    private static FairleadException broken(IOException failure) {
        return new FairleadException(Reason.TRANSPORT, "selecting failed: cause: " + failure.getMessage(), failure);
    }
}
