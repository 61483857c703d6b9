package io.fairlead.node.internal.peer;

import java.net.InetSocketAddress;

/** Where attempts to connect a peer go. On the thread of the peer's loop. */
public interface PeerAddresses {
    /** The address for the next attempt. */
    InetSocketAddress next();

    /** There will be no other attempt. */
    void close();

    /** One address, always the same. */
    static PeerAddresses of(InetSocketAddress address) {
        return new PeerAddresses() {
            @Override
            public InetSocketAddress next() {
                return address;
            }

            @Override
            public void close() {
                // Holds nothing.
            }
        };
    }
}
