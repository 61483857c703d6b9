package io.fairlead.netty;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import org.jspecify.annotations.Nullable;

/** What a channel's endpoint tells inside progress, noted until the channel acts upon it after that. On the loop's thread. */
final class EndpointNotes implements EndpointHandler {
    private final FairleadSocketChannel channel;
    /** The endpoint has connected, and the pipeline does not know yet. */
    private boolean connected;

    private boolean ended;
    private @Nullable FairleadException cause;

    EndpointNotes(FairleadSocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public void connected(Endpoint endpoint) {
        connected = true;
        channel.proceedSoon();
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
        channel.in().end(failure);
        channel.proceedSoon();
    }

    /** Whether the endpoint has connected since this was asked last. */
    boolean takeConnected() {
        boolean taken = connected;
        connected = false;
        return taken;
    }

    /** Whether the endpoint has ended. */
    boolean isEnded() {
        return ended;
    }

    /** Why it has failed; null if it has not. */
    @Nullable FairleadException cause() {
        return cause;
    }
}
