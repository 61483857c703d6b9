package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;

/** Turns what a handshake has thrown and nobody expected into the failure of its endpoint. */
public final class HandshakeFailure {
    private HandshakeFailure() {}

    /**
     * The failure of one endpoint.
     *
     * @param peer the peer's address, for the text
     * @param thrown by a transport, a security provider or the JDK
     * @return never null; what is a failure already stays what it is
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
