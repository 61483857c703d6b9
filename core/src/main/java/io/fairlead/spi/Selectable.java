package io.fairlead.spi;

import java.nio.channels.SelectionKey;

/** Attached to a channel of the worker's selector; runs on the worker's thread when the channel is ready. */
@FunctionalInterface
public interface Selectable {
    /**
     * The channel is ready. Must not throw.
     *
     * @param key the channel's key
     */
    void ready(SelectionKey key);
}
