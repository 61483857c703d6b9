package io.fairlead.testkit.contract;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import java.util.Optional;

/**
 * One call of an endpoint handler.
 *
 * @param kind which method was called
 * @param endpoint the endpoint
 * @param value for a signal its value, 0 for all others
 * @param cause for a failure its cause, empty for all others
 */
public record Event(Kind kind, Endpoint endpoint, long value, Optional<FairleadException> cause) {
    /** The methods of a handler. */
    public enum Kind {
        /** The endpoint is connected. */
        CONNECTED,
        /** A signal arrived. */
        SIGNALLED,
        /** The endpoint was closed. */
        CLOSED,
        /** The endpoint has failed. */
        FAILED
    }
}
