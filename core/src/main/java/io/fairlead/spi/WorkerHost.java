package io.fairlead.spi;

import java.nio.channels.Selector;

/**
 * The core's side of a worker, which its transports call. Belongs to the worker's thread, except for {@link #wakeup()}. Implemented by
 * the core.
 */
public interface WorkerHost {
    /**
     * The selector on which the worker blocks. A transport registers its channels there, each with a {@link Selectable}
     * as attachment.
     *
     * @return the selector, open as long as the worker is
     */
    Selector selector();

    /**
     * Selects without waiting, and calls the {@link Selectable} of each ready channel. For transports with too many
     * channels to try each of them.
     *
     * @return how many channels were ready
     */
    int pollSelector();

    /** Wakes the worker if it blocks. May be called from any thread. */
    void wakeup();
}
