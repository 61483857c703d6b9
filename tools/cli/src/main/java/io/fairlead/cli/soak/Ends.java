package io.fairlead.cli.soak;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;

/** Counts the beginnings and ends of endpoints: each has one end. */
class Ends implements EndpointHandler {
    private int connected;
    private int ended;

    int connected() {
        return connected;
    }

    int ended() {
        return ended;
    }

    @Override
    public void connected(Endpoint endpoint) {
        connected++;
    }

    @Override
    public void closed(Endpoint endpoint) {
        ended++;
    }

    @Override
    public void failed(Endpoint endpoint, FairleadException cause) {
        ended++;
    }
}
