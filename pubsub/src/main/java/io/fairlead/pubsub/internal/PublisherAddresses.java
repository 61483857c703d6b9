package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Where attempts to connect go. On the worker's thread. */
interface PublisherAddresses {
    /**
     * The address for the next attempt.
     *
     * @return null while that is unknown
     * @throws FairleadException {@code NOT_CONNECTED} if there is none
     */
    @Nullable InetSocketAddress next();

    /** Whether they are the members of a service, of which one speaks for itself alone. */
    boolean isService();

    /** Whether the next attempt may go to another publisher than the last one. */
    boolean hasOthers();

    /** One address, always the same. */
    static PublisherAddresses of(InetSocketAddress address) {
        return new PublisherAddresses() {
            @Override
            public InetSocketAddress next() {
                return address;
            }

            @Override
            public boolean isService() {
                return false;
            }

            @Override
            public boolean hasOthers() {
                return false;
            }
        };
    }
}
