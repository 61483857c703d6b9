package io.fairlead.node.internal.frame;

import io.fairlead.spi.LayerHandler;

/** What every node announces in its handshake. */
public interface NodeLayer extends LayerHandler {
    @Override
    default int features() {
        return ContextFrame.FEATURE | RequestFrame.FEATURE;
    }

    @Override
    default long prefaceTag() {
        return ContextFrame.TAG;
    }
}
