package io.fairlead.internal.control;

import io.fairlead.FairleadException;

/** The endpoint that a control channel belongs to. */
public interface ControlUser {
    /** Something came from the peer. */
    void heard();

    /** The peer has closed the connection. */
    void ended();

    /** The connection has failed. */
    void fail(FairleadException cause);

    /** The endpoint's number and its peer's name, for messages. */
    String label();
}
