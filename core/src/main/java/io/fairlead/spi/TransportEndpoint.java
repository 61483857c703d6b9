package io.fairlead.spi;

import java.util.List;

/**
 * A transport's part of one endpoint. Every method is called from the worker's thread.
 *
 * <p>An operation that a method takes ({@code true}) is completed exactly once by {@link Operation#complete}, at any time, inside the call
 * included: the core delivers completions later. An operation that it does not take ({@code false}, for want of room) must be as it
 * was, and so must one whose post throws because its memory was closed during the call: the core takes it back. What is thrown later, in
 * progress, must not leave the transport: it fails the endpoint that it is about, by {@link EndpointHost#failed}. Nothing here throws for conditions of the network: those are told by {@link EndpointHost#failed}.
 *
 * <p>What only some transports need is in interfaces of its own, which an endpoint implements beside this one: {@link WireUpEndpoint},
 * {@link MatchingEndpoint}, {@link ProgressingEndpoint} and {@link ControlCarrier}.
 */
public interface TransportEndpoint extends AutoCloseable {
    /**
     * Whether what is posted from now on can leave without the peer's help. The core calls an endpoint connected only then; it
     * makes progress meanwhile, and gives up when connecting has taken too long. A message that arrives connects the endpoint too.
     *
     * @return true from some time on; true unless overridden
     */
    default boolean isReady() {
        return true;
    }

    /**
     * What the endpoint has come to go over, asked once it is ready. Replaces the lanes of the {@linkplain Reach path} that was chosen, which
     * names all that may be used.
     *
     * @return names as in {@link io.fairlead.Path#lanes}; empty if no more is known than was, which is so unless overridden
     */
    default List<String> lanes() {
        return List.of();
    }

    /**
     * Sends a message: {@link Operation#tag()}, and the payload of {@link Operation#buffer()} or {@link Operation#buffers()}. Completes when the payload may be reused, or, where
     * {@link Operation#isSynchronous()}, when the receiver has matched it.
     *
     * @param operation a send
     * @return whether it was taken
     */
    boolean send(Operation operation);

    /**
     * Gives back a receive that {@link MatchingEndpoint#receive} took.
     *
     * @param receive the receive
     * @return true if no message has matched it: the transport then forgets it; false if it will complete
     */
    default boolean withdraw(Operation receive) {
        return false;
    }

    /**
     * Delivers an unmatched message into the buffer of a receive, completes the receive with the message's length, and tells the sender if it waits.
     * Also called on a closed endpoint, for messages that were {@linkplain Arrival#markWhole() whole}.
     *
     * @param arrival the message, now with {@link Arrival#operation()}
     */
    void deliver(Arrival arrival);

    /**
     * Keeps an unmatched message beyond the end of the endpoint, if every byte of it is here. Called on a closed endpoint, once for each
     * message that was not told to be {@linkplain Arrival#markWhole() whole}, and for transports that cannot tell as long as the rest may still come. After true the
     * message is whole; after false {@link #discard} follows.
     *
     * @param arrival the message, without an operation
     * @return whether it can be delivered from now on; false unless overridden
     */
    default boolean keep(Arrival arrival) {
        return false;
    }

    /**
     * Frees what is kept of an unmatched message that nobody will receive. Called once for each message that is not delivered; on a closed
     * endpoint too, where the message was whole or its rest will never come.
     *
     * @param arrival the message, without an operation
     */
    void discard(Arrival arrival);

    /**
     * Puts; with {@link Operation#hasSignal()} delivers {@link Operation#operand()} after the data. Completes when the source may be reused.
     *
     * @param operation a put
     * @return whether it was taken
     */
    boolean put(Operation operation);

    /**
     * Gets. Completes when the data is here, or {@code REVOKED}.
     *
     * @param operation a get
     * @return whether it was taken
     */
    boolean get(Operation operation);

    /**
     * Changes a word. Completes with the old value by {@link Operation#complete(io.fairlead.Status, long, long)}, or {@code REVOKED}.
     *
     * @param operation an atomic
     * @return whether it was taken
     */
    boolean atomic(Operation operation);

    /**
     * Completes when every put, get and atomic before it is complete and visible at the target, {@code REVOKED} if the target refused a put
     * since the last flush. Does not wait for sends, which may wait for their receives for ever.
     *
     * @param operation a flush
     * @return whether it was taken
     */
    boolean flush(Operation operation);

    /** Orders puts, gets and atomics after it behind those before it. */
    void fence();

    /**
     * Makes a peer's registration usable on this endpoint.
     *
     * @param key what the peer's {@link RegisteredMemory#key()} gave; its checksum held, but it is the peer's all the same
     * @param regionId the region's id at the peer
     * @param length the region's size in bytes
     * @return the remote memory
     * @throws io.fairlead.FairleadException {@code MALFORMED_KEY} or {@code TRANSPORT}
     */
    RemoteMemory unpack(byte[] key, long regionId, long length);

    /**
     * Whether everything that was taken has left this process, as far as the transport can tell.
     *
     * @return true if a close now would lose nothing that was posted and could leave
     */
    boolean isDrained();

    /**
     * Ends the endpoint: every operation that was taken is completed with {@link io.fairlead.Status#CANCELLED} (the core replaces it by the
     * true cause), in this call or later progress, and buffers are not touched any more once their operation is complete. Called once.
     */
    @Override
    void close();
}
