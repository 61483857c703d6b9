package io.fairlead.netty;

import io.fairlead.FairleadException;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.UnknownHostException;

/** Fairlead's failures as the exceptions of sockets, which is what callers of Netty look for. */
final class ConnectFailures {
    private ConnectFailures() {}

    /** Why a server channel was not bound. */
    static IOException ofBind(FairleadException failure) {
        BindException told = new BindException(failure.getMessage());
        told.initCause(failure);
        return told;
    }

    /** Why a channel did not connect. */
    static IOException of(FairleadException failure) {
        IOException told = switch (failure.reason()) {
            case TIMED_OUT -> new ConnectTimeoutException(failure.getMessage());
            case UNKNOWN_HOST -> new UnknownHostException(failure.getMessage());
            case ADDRESS_UNAVAILABLE -> new BindException(failure.getMessage());
            default -> new ConnectException(failure.getMessage());
        };
        told.initCause(failure);
        return told;
    }
}
