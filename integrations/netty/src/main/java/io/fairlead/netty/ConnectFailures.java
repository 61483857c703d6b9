package io.fairlead.netty;

import io.fairlead.FairleadException;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.UnknownHostException;

/** Converts Fairlead's failures into the exceptions of sockets, which callers of Netty expect. */
final class ConnectFailures {
    private ConnectFailures() {}

    /** Why a server channel was not bound. */
    static IOException ofBind(FairleadException failure) {
        BindException exception = new BindException(failure.getMessage());
        exception.initCause(failure);
        return exception;
    }

    /** Why a channel did not connect. */
    static IOException of(FairleadException failure) {
        IOException exception = switch (failure.reason()) {
            case TIMED_OUT -> new ConnectTimeoutException(failure.getMessage());
            case UNKNOWN_HOST -> new UnknownHostException(failure.getMessage());
            case ADDRESS_UNAVAILABLE -> new BindException(failure.getMessage());
            default -> new ConnectException(failure.getMessage());
        };
        exception.initCause(failure);
        return exception;
    }
}
