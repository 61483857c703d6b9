package io.fairlead.spi;

import java.util.List;

/**
 * A transport's part of one endpoint. Belongs to the worker's thread, on which the core calls every method.
 *
 * <p>A method that posts an operation returns whether the transport has accepted it. The transport completes an
 * accepted operation exactly once, by {@link Operation#complete}, at any time, even inside the call: the core delivers
 * completions later. If its queue is full, it returns {@code false} and leaves the operation unchanged. It also leaves
 * the operation unchanged when it throws because the operation's memory was closed during the call. In both cases the
 * core recycles the operation.
 *
 * <p>Network failures are never thrown: the transport reports them by {@link EndpointHost#failed}. The same applies to
 * exceptions inside progress, such as access to closed memory: the transport catches them and fails the endpoint.
 *
 * <p>An endpoint also implements the interfaces that its transport needs of {@link WireUpEndpoint},
 * {@link DirectEndpoint}, {@link ProgressingEndpoint} and {@link ControlCarrier}.
 */
public interface TransportEndpoint extends AutoCloseable {
    /**
     * Whether operations can be sent without further help of the peer. Until then the core makes progress and keeps the
     * endpoint {@code CONNECTING}, for at most {@code connect.timeout}. If a message arrives earlier, the core reports
     * the endpoint as connected at once.
     *
     * @return false while the transport is connecting, then always true; true unless overridden
     */
    default boolean isReady() {
        return true;
    }

    /**
     * The lanes that the endpoint uses. The core calls this once the endpoint is ready. The result replaces the lanes
     * of {@link Reach}, which are all that the endpoint might use.
     *
     * @return names as in {@link io.fairlead.Path#lanes}; empty if the transport has nothing to add; empty unless
     *     overridden
     */
    default List<String> lanes() {
        return List.of();
    }

    /**
     * Sends a message with the {@link Operation#tag()} and the payload in {@link Operation#buffer()} or {@link Operation#buffers()}. Completes when
     * the payload may be reused; if {@link Operation#isSynchronous()}, when the receiver has matched the message.
     *
     * <p>An {@linkplain Operation#isActive() active} message has a handler number and a header instead of the tag. It is
     * eager if its payload alone is at most {@link EndpointHost#eagerMax()} bytes long; the header comes on top. Active
     * messages of an endpoint arrive in the order of these calls.
     *
     * @param operation a send
     * @return whether it was accepted
     */
    boolean send(Operation operation);

    /**
     * Delivers an unexpected message: copies it into the buffer of the receive that has now matched it, completes the
     * receive with the message's length, and notifies the sender of a synchronous send. Also called on a closed
     * endpoint, for messages that were {@linkplain Arrival#markWhole() whole} or {@linkplain #keep kept}. The core then
     * copies the message into its own memory, which may be on the heap, and the receive must complete inside the call.
     *
     * @param arrival the message, whose {@link Arrival#operation()} is the receive
     */
    void deliver(Arrival arrival);

    /**
     * Keeps an unexpected message beyond the end of the endpoint, if it has arrived completely. Called on a closed
     * endpoint, once for each message that the transport has not {@linkplain Arrival#markWhole() marked as whole}. For
     * transports that cannot know this while the endpoint is open.
     *
     * @param arrival the message, without an operation
     * @return true if the message is complete and can be delivered from now on; false if not, and {@link #discard}
     *     follows; false unless overridden
     */
    default boolean keep(Arrival arrival) {
        return false;
    }

    /**
     * Frees the transport's resources of an unexpected message that no receive will match. Called once for each message
     * that is not delivered, also on a closed endpoint.
     *
     * @param arrival the message, without an operation
     */
    void discard(Arrival arrival);

    /**
     * Writes to remote memory. If {@link Operation#hasSignal()}, it delivers {@link Operation#operand()} to the peer
     * after the data. Completes when the source may be reused.
     *
     * @param operation a put
     * @return whether it was accepted
     */
    boolean put(Operation operation);

    /**
     * Reads from remote memory. Completes when the data is in the local buffer; with {@code REVOKED} if the region is closed.
     *
     * @param operation a get
     * @return whether it was accepted
     */
    boolean get(Operation operation);

    /**
     * Changes a word of remote memory atomically. Completes with the previous value of the word, by
     * {@link Operation#complete(io.fairlead.Status, long, long)}; with {@code REVOKED} if the region is closed.
     *
     * @param operation an atomic
     * @return whether it was accepted
     */
    boolean atomic(Operation operation);

    /**
     * Flushes the endpoint: completes when every put, get and atomic before it is complete and visible at the target; with {@code REVOKED} if the
     * target has refused a put since the last flush. It does not wait for sends, whose receives may never be posted.
     *
     * @param operation a flush
     * @return whether it was accepted
     */
    boolean flush(Operation operation);

    /** Orders later puts, gets and atomics after earlier ones. Completes nothing. */
    void fence();

    /**
     * Makes a region of the peer usable on this endpoint.
     *
     * @param key the peer's {@link RegisteredMemory#key()}; its checksum has been checked, but the bytes are untrusted
     * @param region the region's id at the peer, and the proof that the peer expects if it serves the region
     * @param length the region's length in bytes
     * @return the remote memory, which the core closes
     * @throws io.fairlead.FairleadException {@code MALFORMED_KEY} if the bytes are no key of this transport, {@code TRANSPORT} if the region cannot be
     *     reached
     */
    RemoteMemory unpack(byte[] key, RegionProof region, long length);

    /**
     * Whether all data of the accepted operations has left this process, as far as the transport knows. A graceful
     * close waits for it.
     *
     * @return true if a close now would lose nothing
     */
    boolean isDrained();

    /**
     * Ends the endpoint. In this call or in later progress the transport completes every accepted operation with
     * {@link io.fairlead.Status#CANCELLED}, which the core replaces by the true cause. It does not access a buffer
     * after its operation is complete. Called once.
     */
    @Override
    void close();
}
