package io.fairlead.spi;

import java.nio.channels.Selector;

/** The core's side of a worker, for its transports. Belongs to the worker's thread but for {@link #wakeup()}. */
public interface WorkerHost {
    /**
     * The selector on which the worker blocks. A transport registers its channels with it and attaches a {@link Selectable}.
     *
     * @return open as long as the worker is
     */
    Selector selector();

    /**
     * Selects without waiting and lets the {@link Selectable} of each ready channel run; for transports with too many channels to try
     * each one.
     *
     * @return how many were ready
     */
    int pollSelector();

    /** Ends the owner's wait. Callable from any thread. */
    void wakeup();
}
