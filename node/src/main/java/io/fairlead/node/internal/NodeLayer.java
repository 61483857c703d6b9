package io.fairlead.node.internal;

import io.fairlead.spi.LayerHandler;

/** What every node tells of itself when it meets a peer. */
interface NodeLayer extends LayerHandler {
    @Override
    default int features() {
        return ContextFrame.FEATURE | RequestFrame.FEATURE;
    }

    @Override
    default long prefaceTag() {
        return ContextFrame.TAG;
    }

    @Override
    default long ownTag() {
        return RequestFrame.TAG;
    }

    @Override
    default long ownTagMask() {
        return RequestFrame.TAG_MASK;
    }
}
