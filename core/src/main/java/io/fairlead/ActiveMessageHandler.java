package io.fairlead;

/**
 * Called with each active message of one handler number. Registered by
 * {@link Worker#register(int, ActiveMessageHandler)}.
 *
 * <p>Runs on the worker's thread inside {@link Worker#progress()}, or inside a close that progresses. The messages of
 * one endpoint arrive in the order in which they were posted. Nothing is promised between active and tagged messages.
 * It may post operations and close endpoints; it must not call {@link Worker#progress()}. An exception that it throws
 * is logged, and the message counts as handled.
 *
 * <p>Semantics: UCX {@code ucp_am_recv_callback_t}.
 */
@FunctionalInterface
@Incubating
public interface ActiveMessageHandler {
    /**
     * Takes a message. What the handler neither {@linkplain ActiveMessage#keep() keeps} nor
     * {@linkplain ActiveMessage#receive receives} is released when it returns.
     *
     * @param message the message, valid during this call unless it is kept, and reused afterwards
     */
    void received(ActiveMessage message);
}
