package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;

/** Converts an unexpected exception of a handshake into the failure of its endpoint. */
public final class HandshakeFailure {
    private HandshakeFailure() {}

    /**
     * The failure of one endpoint.
     *
     * @param peer the peer's address, for the text
     * @param thrown exception of a transport, a security provider or the JDK
     * @return never null; a failure is returned unchanged
     */
    public static FairleadException of(Object peer, Throwable thrown) {
        if (thrown instanceof FairleadException known) {
            return known;
        }
        if (thrown instanceof OutOfMemoryError) {
            return new FairleadException(
                    Reason.LIMIT_REACHED,
                    "too little memory for a handshake: peer=" + peer + ", cause: " + thrown.getMessage()
                            + "; free memory, or raise -Xmx or -XX:MaxDirectMemorySize",
                    thrown);
        }
        return new FairleadException(
                Reason.TRANSPORT, "the handshake threw: peer=" + peer + ", cause: " + thrown, thrown);
    }
}
