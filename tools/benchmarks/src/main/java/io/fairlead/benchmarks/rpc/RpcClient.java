package io.fairlead.benchmarks.rpc;

import java.util.concurrent.CompletableFuture;

/** The asking side of one contestant. */
interface RpcClient extends AutoCloseable {
    /** The greatest number of requests in flight. */
    int SLOTS = 64;

    /**
     * Sends a request. On any thread; requests of one slot come one after the other.
     *
     * @param slot 0 up to the greatest number of requests in flight
     * @param number what the payload is made of; divided by {@link #SLOTS} it leaves the slot
     * @return ends when the reply is here and checked
     */
    CompletableFuture<Void> ask(int slot, long number);

    @Override
    void close();
}
