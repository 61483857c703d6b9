package io.fairlead.internal.engine;

import io.fairlead.internal.control.ControlFrame;

/** What the peer of one endpoint tells on the control channel. */
final class PeerWords implements ControlFrame.Handler {
    private final EndpointLife life;

    PeerWords(EndpointLife life) {
        this.life = life;
    }

    @Override
    public void ping(long sequence) {
        // Without room for the answer there is traffic, which tells the peer the same.
        life.channel().pong(sequence);
    }

    @Override
    public void pong(long sequence) {
        life.answered(sequence);
    }

    @Override
    public void credit(long bytes) {
        life.granted(bytes);
    }

    @Override
    public void goodbye() {
        life.saidGoodbye();
    }

    @Override
    public void wake() {
        // That it came is all.
    }

    @Override
    public void revoke(long regionId) {
        life.keys().revoke(regionId);
    }
}
