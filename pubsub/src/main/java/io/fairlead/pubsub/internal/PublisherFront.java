package io.fairlead.pubsub.internal;

import io.fairlead.Worker;

/** What hands a publisher the messages of other threads. Belongs to the worker's thread. */
interface PublisherFront {
    /** No other threads. */
    PublisherFront NONE = new PublisherFront() {
        @Override
        public boolean hasPending() {
            return false;
        }

        @Override
        public void closed(Worker worker) {
            // The caller has given up.
        }
    };

    /** Whether messages wait to be published, which the close of the publisher waits for. */
    boolean hasPending();

    /** The publisher has closed. */
    void closed(Worker worker);
}
