package io.fairlead.internal.control;

import io.fairlead.FairleadException;

/** The endpoint that a control channel belongs to. */
public interface ControlUser {
    /** Bytes of the peer have arrived on its control connection. */
    void controlReceived();

    /** Buffered bytes are not signalled by the selector: the control channel must be read in the worker's next turn. */
    void readSoon();

    /** The peer has closed the connection. */
    void ended();

    /** The connection has failed. */
    void lost(FairleadException cause);

    /** The peer has broken a rule. */
    void fail(FairleadException cause);

    /** An unexpected exception was thrown, and the connection is unusable. */
    void failThrown(Throwable thrown);

    /** The endpoint's number and its peer's name, for messages. */
    String label();
}
