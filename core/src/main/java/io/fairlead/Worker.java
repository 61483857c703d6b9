package io.fairlead;

import com.google.errorprone.annotations.CheckReturnValue;
import io.fairlead.spi.host.HostPort;
import io.fairlead.statistics.Counters;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Posts operations, makes progress and delivers completions; one thread owns it. Created by
 * {@link Context#newWorker()}, implemented by Fairlead only.
 *
 * <p>Threads: the creating thread owns the worker and everything created from it. On another thread every method except
 * {@link #wakeup()}, {@link #counters()} and {@link #context()} throws {@link WrongThreadException}. The owner drives
 * the worker by calling {@link #progress()}, which sends posts, receives messages, watches peers and runs completions.
 * A worker without progress is stalled, not dead: its peers end its connections after their {@code stall.timeout}.
 *
 * <p>Buffers are native memory ({@link MemorySegment#isNative()}) that the owner thread can access. The application
 * must neither close nor change them from the post until the completion. If memory is closed earlier, the post throws,
 * or the endpoint of an operation that has begun fails. The process goes on. The JDK may leave the owner's thread
 * interrupted if it was reading such memory.
 *
 * <p>Peers on the same host read messages of more than 16 KiB from this process by address. If such memory is closed
 * early, they may receive other bytes before the endpoint fails. libucx accesses by address the buffers of messages and
 * transfers over RDMA or its own queues. Such memory must stay open until the completion has run, and registered memory
 * until its region is closed.
 *
 * <p>A posting call allocates nothing in steady state and returns a positive request id, or a negative constant of {@link Endpoint}, such
 * as {@link Endpoint#BACK_PRESSURE}, if it started nothing. It throws for broken rules only: {@link IllegalArgumentException} for
 * arguments, {@link IndexOutOfBoundsException} for ranges, {@link IllegalStateException} for a closed worker.
 *
 * <p>Semantics: UCX {@code ucp_worker_h}, {@code ucp_tag_recv_nbx}, {@code ucp_tag_probe_nb}, {@code ucp_request_cancel}.
 */
public interface Worker extends AutoCloseable {
    /** The mask that compares all 48 bits of a tag. */
    long FULL_TAG_MASK = 0xFFFF_FFFF_FFFFL;

    /** The greatest tag: tags are 48 bits. */
    long TAG_MAX = FULL_TAG_MASK;

    /**
     * Does what can be done without waiting. Posts leave, arrivals are matched, peers are watched, completions and
     * handlers run, and then the {@linkplain #attach attached} tasks run.
     *
     * @return how many events were handled; 0 means that there was nothing to do
     * @throws IllegalStateException if called from inside a completion, handler or task of this worker
     */
    int progress();

    /**
     * Makes progress until a condition is true, and waits without using the processor while there is nothing to do.
     *
     * @param condition made true by completions or handlers of this worker. A different thread that makes it true calls
     *     {@link #wakeup()}
     * @param timeout the longest time, 0 and up
     * @return true if the condition is true; false if the timeout passed before. Operations in flight stay in flight
     * @throws IllegalStateException if called from inside a completion, handler or task of this worker
     */
    @CheckReturnValue
    default boolean progressUntil(BooleanSupplier condition, Duration timeout) {
        return UntilTrue.progress(this, condition, timeout);
    }

    /**
     * Waits without using the processor until {@link #progress()} has something to do, {@link #wakeup()} is called or
     * the timeout passes. It may return early. Call it after progress returned 0. While it waits it watches peers, and
     * it returns in time for attached tasks.
     *
     * @param timeoutNs the longest wait in nanoseconds, 0 and up; below a millisecond it returns at once
     * @throws IllegalStateException if called from inside a completion, handler or task of this worker
     */
    void await(long timeoutNs);

    /**
     * Whether the caller is inside {@link #progress()} or an immediate completion: in a completion, a handler or a
     * task. Progress and waiting are refused there.
     *
     * @return true if it is
     */
    boolean isInsideProgress();

    /**
     * Runs a task in each {@link #progress()}, from the next one on until it is detached. For layers with periodic work.
     *
     * @param task runs after the tasks that were attached before
     * @throws IllegalArgumentException if the task is attached already
     */
    void attach(WorkerTask task);

    /**
     * Stops running a task, from the current progress on. Does nothing if the task is not attached or the worker is closed.
     *
     * @param task an attached task
     */
    void detach(WorkerTask task);

    /** Ends the owner's current or next wait in {@link #await(long)}. Callable from any thread. */
    void wakeup();

    /**
     * Accepts connections from peers at an address, on this worker.
     *
     * @param address where to listen; port 0 selects a free port
     * @param handler notified of each endpoint that a peer connects
     * @return the listener, accepting as the worker makes progress
     * @throws FairleadException {@code ADDRESS_UNAVAILABLE} or {@code UNKNOWN_HOST}, {@code LIMIT_REACHED} if no file descriptor is left
     */
    Listener listen(InetSocketAddress address, EndpointHandler handler);

    /**
     * Accepts connections from peers at an address that is written as text.
     *
     * @param address {@code HOST:PORT} or {@code [IPV6]:PORT}; port 0 selects a free port
     * @param handler notified of each endpoint that a peer connects
     * @return as {@link #listen(InetSocketAddress, EndpointHandler)}
     * @throws FairleadException as {@link #listen(InetSocketAddress, EndpointHandler)}
     * @throws IllegalArgumentException if the text is no host and port
     */
    default Listener listen(String address, EndpointHandler handler) {
        return listen(HostPort.resolve(address, 0), handler);
    }

    /**
     * Accepts connections from peers at an address, and lets the handler choose a worker for each. Limits of addresses,
     * such as {@code source.handshake-rate}, refuse a peer before the handler is called.
     *
     * @param address where to listen; port 0 selects a free port
     * @param handler notified of each connection before its handshake
     * @return the listener, accepting as the worker makes progress
     * @throws FairleadException as {@link #listen(InetSocketAddress, EndpointHandler)}
     */
    Listener listen(InetSocketAddress address, ConnectionRequestHandler handler);

    /**
     * Accepts a connection request on this worker, whichever worker of the context listens. The handshake, with TLS if
     * connections are secured, takes place in this worker's {@link #progress()} and ends within
     * {@code connect.timeout}. It waits while {@code listener.pending-max} other handshakes of listeners are in
     * progress on this worker.
     *
     * <p>Unlike with {@link #listen(InetSocketAddress, EndpointHandler)}, the endpoint exists before the peer has
     * authenticated, and counts towards {@code endpoints-max}. It may be closed or aborted while it is connecting; the
     * peer's connection is then closed.
     *
     * @param request the argument of a listener's handler
     * @param handler notified when the endpoint is connected, or has failed to connect
     * @return the endpoint, {@link EndpointState#CONNECTING}
     * @throws FairleadException {@code CLOSED} if the listener was closed before, {@code TIMED_OUT} if the request
     *     stayed unanswered for {@code connect.timeout}, {@code LIMIT_REACHED} if the worker has {@code endpoints-max}
     *     endpoints; the request can still be answered then
     * @throws IllegalArgumentException if the request is of another context; it can still be answered then
     * @throws IllegalStateException if the request is answered already
     */
    Endpoint accept(ConnectionRequest request, EndpointHandler handler);

    /**
     * Connects to a listener under the context's configured policy.
     *
     * <p>If connections are secured by certificates, the listener's certificate must name the host of the address at
     * the time of this call: the name as written, or else the IP address. A later
     * {@link java.net.InetAddress#getHostName()} on the address has no effect. An earlier one replaces the IP address
     * by the name of a reverse lookup.
     *
     * @param address where the peer listens
     * @param handler notified when the endpoint is connected, or has failed to connect
     * @return the endpoint, {@link EndpointState#CONNECTING}; the handshake takes place in {@link #progress()} and ends
     *     within {@code connect.timeout}
     * @throws FairleadException {@code UNKNOWN_HOST} if the address is unresolved, {@code LIMIT_REACHED} if the worker
     *     has {@code endpoints-max} endpoints
     */
    Endpoint connect(InetSocketAddress address, EndpointHandler handler);

    /**
     * Connects to a listener whose address is written as text. The host name is resolved before this returns.
     *
     * @param address {@code HOST:PORT} or {@code [IPV6]:PORT}
     * @param handler notified when the endpoint is connected, or has failed to connect
     * @return as {@link #connect(InetSocketAddress, EndpointHandler)}
     * @throws FairleadException as {@link #connect(InetSocketAddress, EndpointHandler)}
     * @throws IllegalArgumentException if the text is no host and port
     */
    default Endpoint connect(String address, EndpointHandler handler) {
        return connect(HostPort.resolve(address, 1), handler);
    }

    /**
     * Connects to a listener under another policy than the configured one.
     *
     * @param address where the peer listens
     * @param policy which paths may be taken; the listener's policy must allow the path too
     * @param handler notified when the endpoint is connected, or has failed to connect
     * @return the endpoint, {@link EndpointState#CONNECTING}
     * @throws FairleadException as {@link #connect(InetSocketAddress, EndpointHandler)}
     */
    Endpoint connect(InetSocketAddress address, PathPolicy policy, EndpointHandler handler);

    /**
     * Posts a receive for the next message with a matching tag from any endpoint of this worker.
     *
     * <p>Receives are tried in the order in which they were posted, messages of one endpoint in the order in which they
     * were sent. Completes {@link Status#OK}, {@link Status#TRUNCATED}, {@link Status#CANCELLED}, or, if the sender
     * died during a matched message, {@link Status#PEER_FAILED}.
     *
     * @param buffer native memory for the message, owned by the worker until the completion
     * @param offset first byte of the buffer to use
     * @param length bytes of the buffer to use, 0 and up
     * @param tag the tag to compare with, 0 to {@link #TAG_MAX}
     * @param tagMask which bits are compared: a set bit is compared, 0 matches every tag
     * @param completion called when the receive has ended
     * @param userData a number of the caller, returned by {@link Request#userData()}
     * @return a request id, or {@link Endpoint#BACK_PRESSURE}
     */
    @CheckReturnValue
    long receive(
            MemorySegment buffer,
            long offset,
            long length,
            long tag,
            long tagMask,
            Completion completion,
            long userData);

    /**
     * Posts a receive for the next message with exactly a tag from any endpoint of this worker.
     *
     * @param buffer native memory for the message, used whole
     * @param tag the tag, compared in full
     * @param completion called when the receive has ended
     * @return as {@link #receive(MemorySegment, long, long, long, long, Completion, long)}, whose {@code userData} is 0 here
     */
    @CheckReturnValue
    default long receive(MemorySegment buffer, long tag, Completion completion) {
        return receive(buffer, 0, buffer.byteSize(), tag, FULL_TAG_MASK, completion, 0);
    }

    /**
     * Posts a receive that gets its buffer after a message has matched it. The message may come from any endpoint that
     * the handler accepts.
     *
     * <p>Matched in one order with all other receives. While they wait, such receives are not counted as operations in
     * flight; a separate limit of {@code worker.operations-max} bounds them. Completes as
     * {@link #receive(MemorySegment, long, long, long, long, Completion, long)} does, and {@link Status#CANCELLED} if
     * its handler withdraws it.
     *
     * @param handler supplies the buffer
     * @param tag the tag to compare with, 0 to {@link #TAG_MAX}
     * @param tagMask which bits are compared: a set bit is compared, 0 matches every tag
     * @param completion called when the receive has ended
     * @param userData a number of the caller, returned by {@link Request#userData()}
     * @return a request id, or {@link Endpoint#BACK_PRESSURE} or {@link Endpoint#CLOSED}
     */
    @Incubating
    @CheckReturnValue
    long receive(MatchHandler handler, long tag, long tagMask, Completion completion, long userData);

    /**
     * Registers the handler of a number for active messages of any endpoint of this worker, from now on. A layer that
     * keeps its endpoints to itself gets none of their messages here.
     *
     * @param number the handler number, 0 to {@link ActiveMessage#HANDLER_MAX}
     * @param handler called with each message of the number
     * @throws IllegalArgumentException if the number is out of range
     * @throws IllegalStateException if the number has a handler
     */
    @Incubating
    void register(int number, ActiveMessageHandler handler);

    /**
     * Removes the handler of a number. Later messages of the number are dropped and counted. Does nothing if there is no
     * handler.
     *
     * @param number the handler number, 0 to {@link ActiveMessage#HANDLER_MAX}
     * @throws IllegalArgumentException if the number is out of range
     */
    @Incubating
    void unregister(int number);

    /**
     * Looks for a message that has arrived, from any endpoint, and leaves it unmatched.
     *
     * @param tag the tag to compare with
     * @param tagMask which bits are compared
     * @param info filled with what was found
     * @return true if there is a message; false says nothing about the next progress
     */
    boolean probe(long tag, long tagMask, MessageInfo info);

    /**
     * Looks for a message as {@link #probe} does and removes it from matching. No receive will match it any more; it
     * must be received with {@link #receiveClaimed}.
     *
     * @param tag the tag to compare with
     * @param tagMask which bits are compared
     * @param info filled with what was found
     * @return true if a message was claimed
     * @throws IllegalStateException if info still holds a claimed message
     */
    @CheckReturnValue
    boolean claim(long tag, long tagMask, MessageInfo info);

    /**
     * Receives a claimed message. A buffer of length 0 discards a longer message and completes {@link Status#TRUNCATED}.
     *
     * @param info what {@link #claim} filled; no longer claimed when this returns an id
     * @param buffer native memory for the message, owned by the worker until the completion
     * @param offset first byte of the buffer to use
     * @param length bytes of the buffer to use
     * @param completion called when the receive has ended
     * @param userData a number of the caller
     * @return a request id, or {@link Endpoint#BACK_PRESSURE}, {@link Endpoint#CLOSED}, {@link Endpoint#PEER_FAILED}
     * @throws IllegalArgumentException if info holds no claimed message of this worker
     */
    @CheckReturnValue
    long receiveClaimed(
            MessageInfo info, MemorySegment buffer, long offset, long length, Completion completion, long userData);

    /**
     * Receives a claimed message into a whole segment.
     *
     * @param info what {@link #claim} filled; no longer claimed when this returns an id
     * @param buffer native memory for the message, owned by the worker until the completion
     * @param completion called when the receive has ended
     * @return as {@link #receiveClaimed(MessageInfo, MemorySegment, long, long, Completion, long)}, whose {@code userData} is 0 here
     */
    @CheckReturnValue
    default long receiveClaimed(MessageInfo info, MemorySegment buffer, Completion completion) {
        return receiveClaimed(info, buffer, 0, buffer.byteSize(), completion, 0);
    }

    /**
     * Cancels a receive that no message has matched; it completes {@link Status#CANCELLED} in the next progress. Sends and operations on
     * remote memory cannot be cancelled; they end early only with their endpoint.
     *
     * @param request what the posting call returned
     * @return true if it was cancelled; false if it has been matched, has ended, or is no receive
     */
    boolean cancel(long request);

    /**
     * Creates an object that probes and claims fill.
     *
     * @return an empty one, for use with this worker
     */
    MessageInfo newMessageInfo();

    /**
     * The counters of this worker. Readable from any thread.
     *
     * @return a live view
     */
    Counters counters();

    /**
     * The context that made this worker.
     *
     * @return the context, always the same
     */
    Context context();

    /**
     * Closes listeners, then endpoints (gracefully, all together within {@code close.timeout}), completes every receive
     * {@link Status#CANCELLED}, and frees native memory, descriptors and transport state. Idempotent. Inside a
     * completion, handler or task it takes effect when the current progress ends. Once the close has begun,
     * {@code listen}, {@code connect} and {@code accept} throw an {@link IllegalStateException}, also inside the
     * handlers and completions that it runs.
     *
     * <p>If the owner thread has ended, any thread may call this and becomes the owner. Completions and handlers run
     * there, and peers lose their connections without a graceful disconnect.
     *
     * <p>It waits until the peers of gracefully closed endpoints have closed their connections too, for all of them
     * together at most another {@code close.timeout}. A peer does that when it makes progress. If a peer's worker
     * belongs to the same thread, close the endpoints first and let the peer make progress; otherwise this waits for
     * the whole timeout.
     */
    @Override
    void close();
}
