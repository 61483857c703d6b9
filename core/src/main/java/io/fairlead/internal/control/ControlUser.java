package io.fairlead.internal.control;

import io.fairlead.FairleadException;

/** The endpoint that a control channel belongs to. */
public interface ControlUser {
    /** Something came from the peer over its control connection. */
    void controlHeard();

    /** Something is here that the selector does not tell of: the control channel is to be read in the worker's next turn. */
    void readSoon();

    /** The peer has closed the connection. */
    void ended();

    /** The connection has failed. */
    void fail(FairleadException cause);

    /** Something threw that may not, and the connection is of no use any more. */
    void failThrown(Throwable thrown);

    /** The endpoint's number and its peer's name, for messages. */
    String label();
}
