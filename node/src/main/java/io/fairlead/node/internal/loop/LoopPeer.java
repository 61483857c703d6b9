package io.fairlead.node.internal.loop;

/** A peer as its loop drives it. Called on the loop's thread, outside of the worker's progress. */
public interface LoopPeer {
    /** The endpoint has ended, or could not be made: handles the consequences. */
    void settle();

    /** Posts what the engine had no capacity for. Returns true if nothing is left. */
    boolean retry();

    /** Fails what was called and not posted. */
    void failBacklog();

    /** The node leaves: notifies the peer. Returns true if its requests are answered and no more can come. Called again and again. */
    boolean leave();

    /** The node closes. A connection may still drain; an attempt to connect ends. */
    void nodeCloses();

    /** The worker is closed, and every endpoint with it. */
    void nodeEnded();

    /** The node's own code for this peer has thrown: this peer ends, and no other. */
    void failThrown(Throwable thrown);
}
