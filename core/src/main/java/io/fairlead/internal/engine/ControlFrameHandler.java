package io.fairlead.internal.engine;

import io.fairlead.internal.control.ControlFrame;

/** Acts on the control frames of one endpoint's peer. */
final class ControlFrameHandler implements ControlFrame.Handler {
    private final EndpointLifecycle lifecycle;

    ControlFrameHandler(EndpointLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    @Override
    public void ping(long sequence) {
        // If there is no capacity for the answer, there is other traffic, and it proves the same.
        lifecycle.channel().pong(sequence);
    }

    @Override
    public void pong(long sequence) {
        lifecycle.recordAnswer(sequence);
    }

    @Override
    public void credit(long bytes) {
        lifecycle.takeGrant(bytes);
    }

    @Override
    public void disconnect() {
        lifecycle.disconnect().arrived();
    }

    @Override
    public void wake() {
        // Its arrival is all that matters.
    }

    @Override
    public void revoke(long regionId) {
        lifecycle.endpoint().keys().revoke(regionId);
    }

    @Override
    public void withdraw(long regionId) {
        lifecycle.endpoint().keys().withdraw(regionId);
    }
}
