package io.fairlead.spi;

import java.nio.channels.SelectionKey;

/** Called on the worker's thread when a channel of the worker's selector is ready. A transport attaches one to the channel's {@link SelectionKey}. */
@FunctionalInterface
public interface Selectable {
    /**
     * Called when the channel is ready. Must not throw.
     *
     * @param key the key of the channel, with its ready operations
     */
    void ready(SelectionKey key);
}
