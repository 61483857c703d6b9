package io.fairlead.netty;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import org.jspecify.annotations.Nullable;

/** The events of a channel's endpoint. They occur inside progress; the channel handles them in its next turn. On the loop's thread. */
final class EndpointNotes implements EndpointHandler {
    private final ChannelState state;
    private final StreamIn in;
    /** The endpoint has connected, and the pipeline has not been notified. */
    private boolean connected;

    private boolean ended;
    private @Nullable FairleadException cause;

    EndpointNotes(ChannelState state, StreamIn in) {
        this.state = state;
        this.in = in;
    }

    @Override
    public void connected(Endpoint endpoint) {
        connected = true;
        state.proceedSoon();
    }

    @Override
    public void closed(Endpoint endpoint) {
        end(null);
    }

    @Override
    public void failed(Endpoint endpoint, FairleadException failure) {
        end(failure);
    }

    private void end(@Nullable FairleadException failure) {
        ended = true;
        cause = failure;
        in.end(failure);
        state.proceedSoon();
    }

    /** Whether the endpoint has connected since the last call. */
    boolean takeConnected() {
        boolean taken = connected;
        connected = false;
        return taken;
    }

    /** Whether the endpoint has closed or failed. */
    boolean isEnded() {
        return ended;
    }

    /**
     * Whether the pipeline still reads what came before the endpoint ended. A write that finds the peer gone waits until then, because its failure
     * closes the channel.
     */
    boolean isReadingRest() {
        return ended && in.isReading();
    }

    /** Why the endpoint has failed; null if it has not. */
    @Nullable FairleadException cause() {
        return cause;
    }
}
