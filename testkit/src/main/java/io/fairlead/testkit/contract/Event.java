package io.fairlead.testkit.contract;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import java.util.Optional;

/**
 * One call of an endpoint handler.
 *
 * @param kind which method was called
 * @param endpoint the endpoint
 * @param value the signal's value, else 0
 * @param cause the failure's cause, else empty
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
