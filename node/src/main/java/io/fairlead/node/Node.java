package io.fairlead.node;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.ResolverProvider;
import io.fairlead.node.internal.engine.NodeEngine;
import io.fairlead.spi.host.HostPort;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * A context with progress threads: messages and remote memory for any thread, virtual ones included. Implemented by Fairlead
 * only. Thread-safe, like everything that it makes.
 *
 * <p>{@code node.threads} platform daemon threads make progress, each with one {@link Worker}. Calls hand their operation to one of
 * these threads through a bounded queue and return a future. Idle threads wait as {@code idle.strategy} says.
 *
 * <p>Futures and handlers run on the progress threads, unless {@link #start(FairleadConfig, Executor)} names an executor: they must not
 * block there, because no progress is made meanwhile. Waiting there for an unfinished future of a node throws
 * {@link IllegalStateException} instead of waiting for ever. An operation that cannot be done completes its future with a
 * {@link FairleadException}; {@link FairleadException#status()} has the engine's answer. Arguments that break a rule make the call itself throw.
 *
 * <p>Back-pressure: at most {@code node.queue-max} operations of a peer wait to be posted, whose copied memory takes at most a quarter of
 * {@code node.queue-bytes}. What a further call does is set by
 * {@code node.back-pressure}, see {@link BackPressure}.
 *
 * <p>Buffers: native memory that every thread may access is used in place, and belongs to the node from the call until the future
 * completes. Other memory (arrays on the heap, segments confined to a thread) is copied once: a source before the call returns, a
 * target when the operation has ended. A future that is completed from outside, by a time-out for instance, does not free the buffer.
 */
public interface Node extends AutoCloseable {
    /**
     * Starts a node whose futures and handlers run on its progress threads.
     *
     * @param config the configuration
     * @return a running node
     * @throws FairleadException as {@link Context#open(FairleadConfig)}
     */
    static Node start(FairleadConfig config) {
        return NodeEngine.start(config);
    }

    /**
     * Starts a node whose futures and handlers run on an executor, where they may block. Handlers run in the order of events only
     * if the executor runs tasks in order. A task that the executor rejects runs on the progress thread.
     *
     * @param config the configuration
     * @param executor where futures complete and handlers run; not closed by the node
     * @return a running node
     * @throws FairleadException as {@link Context#open(FairleadConfig)}
     */
    static Node start(FairleadConfig config, Executor executor) {
        return NodeEngine.start(config, executor);
    }

    /**
     * Starts a node whose peers may do what an authorizer allows. As {@link #start(FairleadConfig)} otherwise.
     *
     * @param config the configuration
     * @param authorizer decides what peers may do, on the progress threads
     * @return a running node
     * @throws FairleadException as {@link Context#open(FairleadConfig, Authorizer)}
     */
    static Node start(FairleadConfig config, Authorizer authorizer) {
        return NodeEngine.start(config, authorizer);
    }

    /**
     * Starts a node whose peers may do what an authorizer allows. As {@link #start(FairleadConfig, Executor)} otherwise.
     *
     * @param config the configuration
     * @param executor where futures complete and handlers run; not closed by the node
     * @param authorizer decides what peers may do, on the progress threads
     * @return a running node
     * @throws FairleadException as {@link Context#open(FairleadConfig, Authorizer)}
     */
    static Node start(FairleadConfig config, Executor executor, Authorizer authorizer) {
        return NodeEngine.start(config, executor, authorizer);
    }

    /**
     * Accepts connections from peers at an address. Each new peer goes to the progress thread that has the fewest.
     *
     * @param address where to listen; port 0 takes a free one
     * @param accepted called with each peer that connects, before any other event of that peer. With several progress threads it may be called
     *     for several peers at the same time, each on its own thread
     * @return the listener, accepting; thread-safe, closed with the node
     * @throws FairleadException {@code ADDRESS_UNAVAILABLE}, {@code UNKNOWN_HOST}, or {@code CLOSED} if the node is
     */
    Listener listen(InetSocketAddress address, Consumer<Peer> accepted);

    /**
     * Accepts connections from peers at an address that is written as text.
     *
     * @param address {@code HOST:PORT} or {@code [IPV6]:PORT}; port 0 takes a free one
     * @param accepted called with each peer that connects, as for {@link #listen(InetSocketAddress, Consumer)}
     * @return the listener, accepting; thread-safe, closed with the node
     * @throws FairleadException as {@link #listen(InetSocketAddress, Consumer)}
     * @throws IllegalArgumentException if the text is no host and port
     */
    default Listener listen(String address, Consumer<Peer> accepted) {
        return listen(HostPort.resolve(address, 0), accepted);
    }

    /**
     * Connects to a listener under the configured policy, without reconnecting after a failure.
     *
     * @param address where the peer listens
     * @return the peer once it is connected. Cancelling it ends the attempt
     */
    CompletableFuture<Peer> connect(InetSocketAddress address);

    /**
     * Connects to a listener.
     *
     * @param address where the peer listens
     * @param policy which paths the connection may take
     * @param reconnect what to do when the connection, once made, is lost; the first attempt is made once
     * @return the peer once it is connected. Cancelling it ends the attempt
     */
    CompletableFuture<Peer> connect(InetSocketAddress address, PathPolicy policy, ReconnectPolicy reconnect);

    /**
     * Connects to a member of a service, under the configured policy. It tries the members in the resolver's order and takes the first that
     * accepts. The name is
     * resolved once; {@link #peers(String)} follows its members.
     *
     * @param name {@code HOST:PORT}, {@code static:HOST:PORT,...}, or a name for another {@link ResolverProvider} on the path, such as {@code dns:feed.prod:7400}
     * @return the peer once it is connected. Fails with a {@link FairleadException}: {@code UNSUPPORTED} without a resolver for the scheme, {@code UNKNOWN_HOST}
     *     if the name does not exist, {@code NOT_CONNECTED} if the service has no member, else as the last member's connection has failed.
     * Cancelling it ends the attempt
     * @throws IllegalArgumentException if the name is malformed
     */
    CompletableFuture<Peer> connect(String name);

    /**
     * Connects to a member of a service, and follows the service when the connection is lost. Each attempt goes to the next of the members that
     * the name then has.
     *
     * @param name as for {@link #connect(String)}
     * @param policy which paths the connection may take
     * @param reconnect what to do when the connection, once made, is lost; the first is made, or not, as by {@link #connect(String)}
     * @return the peer once it is connected, as by {@link #connect(String)}. After a reconnect it may be another process
     * @throws IllegalArgumentException if the name is malformed
     */
    CompletableFuture<Peer> connect(String name, PathPolicy policy, ReconnectPolicy reconnect);

    /**
     * Keeps connections to all members of a service, with default options.
     *
     * @param name as for {@link #connect(String)}
     * @return as {@link #peers(String, PeerSetOptions)}
     * @throws IllegalArgumentException if the name is malformed
     */
    default CompletableFuture<PeerSet> peers(String name) {
        return peers(name, PeerSetOptions.defaults());
    }

    /**
     * Keeps connections to all members of a service while members are added and removed.
     *
     * @param name as for {@link #connect(String)}
     * @param options how to keep them
     * @return the set when a member is connected, or all have been tried, or there is none yet; closed with the node. Fails with a {@link FairleadException}:
     *     {@code UNSUPPORTED} without a resolver for the scheme, else as the resolver's first answer has failed, unless it
     *     {@linkplain PeerSetOptions#openingAtOnce() opens at once}
     * @throws IllegalArgumentException if the name is malformed
     */
    CompletableFuture<PeerSet> peers(String name, PeerSetOptions options);

    /**
     * Follows the members of a service without connecting to them, for layers that connect to them themselves.
     *
     * @param name as for {@link #connect(String)}
     * @return the watch with the resolver's first answer; closed with the node. Fails as {@link #peers(String, PeerSetOptions)}
     * @throws IllegalArgumentException if the name is malformed
     */
    CompletableFuture<MemberWatch> watch(String name);

    /**
     * Follows the members of a service without connecting to them and without waiting for the first answer, for layers that handle missing
     * members like missing peers.
     *
     * @param name as for {@link #connect(String)}
     * @return the watch, whose members are not known yet; closed with the node
     * @throws IllegalArgumentException if the name is malformed
     * @throws FairleadException {@code UNSUPPORTED} without a resolver for the scheme, {@code CLOSED} if the node is, {@code LIMIT_REACHED} without a thread for it
     */
    MemberWatch follow(String name);

    /**
     * Registers this node as a member of a service, until the registration or the node is closed. If this process dies the registry drops the entry after
     * {@code node.discovery-lease}.
     *
     * @param name as for {@link #connect(String)}, of a scheme that knows registration
     * @param member what others see: a name for messages, and the address at which they reach this node
     * @return the registration when the registry has the entry. Fails with a {@link FairleadException}: {@code UNSUPPORTED} without a resolver for the scheme, or
     *     where members are not registered by a process; else as the registry's first answer has failed
     * @throws IllegalArgumentException if the name is malformed
     */
    CompletableFuture<Registration> register(String name, Member member);

    /**
     * Receives the next message with this tag from any peer, of at most {@code node.message-max} bytes.
     *
     * @param tag the tag, 0 to {@link Worker#TAG_MAX}
     * @return the message
     */
    CompletableFuture<Message> receive(long tag);

    /**
     * Receives the next message with a matching tag from any peer, whatever its length.
     *
     * <p>Receives match in the order of the calls of one thread, messages of one peer in the order in which they were sent. With several
     * progress threads the messages of peers on different threads compete. The future fails with {@link Status#TRUNCATED} if the message is
     * longer than allowed, and with {@link Status#PEER_FAILED} if its sender died in the middle of it; in both cases only that message is
     * lost. Until a message matches, cancelling the future, or a time-out on it ({@code orTimeout}), withdraws the receive without losing a
     * message. Afterwards {@code cancel} returns false and the future completes with the message.
     *
     * @param tag the tag to compare with, 0 to {@link Worker#TAG_MAX}
     * @param tagMask which bits are compared: a set bit is compared, 0 matches every tag
     * @param maxLength the longest message to take, in bytes
     * @return the message
     */
    CompletableFuture<Message> receive(long tag, long tagMask, long maxLength);

    /**
     * Receives the next message with a matching tag from any peer into memory of the caller's. As {@link #receive(long, long, long)} otherwise.
     *
     * @param buffer where to put it; a message that is longer fails the future with {@link Status#TRUNCATED}, and what is here then is not defined
     * @param tag the tag to compare with
     * @param tagMask which bits are compared
     * @return the message, whose segment is the part of the buffer that it fills
     */
    CompletableFuture<Message> receiveInto(MemorySegment buffer, long tag, long tagMask);

    /**
     * Answers the requests of all peers with a tag, by {@link ServiceOptions#DEFAULT}.
     *
     * @param tag the tag, 0 to {@link Worker#TAG_MAX}
     * @param handler answers each request
     * @return the service, closed with the node
     * @throws IllegalStateException if the node has a service with this tag
     * @throws FairleadException {@code CLOSED} if the node is closed
     */
    default Service serve(long tag, ServiceHandler handler) {
        return serve(tag, handler, ServiceOptions.DEFAULT);
    }

    /**
     * Answers the requests of all peers with a tag. A peer whose tag has no service is refused with {@link RequestStatus#UNIMPLEMENTED}.
     *
     * @param tag the tag, 0 to {@link Worker#TAG_MAX}
     * @param handler answers each request
     * @param options where the handler runs, and how many requests it has at once
     * @return the service, closed with the node
     * @throws IllegalStateException if the node has a service with this tag
     * @throws FairleadException {@code CLOSED} if the node is closed
     */
    Service serve(long tag, ServiceHandler handler, ServiceOptions options);

    /**
     * Names a service that this node asks, for its {@link ServiceStatistics}, and for observers, on this side. Both count from the first request on, so one that
     * was asked before keeps its tag there. Typed clients do this for their methods. Nothing is sent.
     *
     * @param tag the service's tag, 0 to {@link Worker#TAG_MAX}
     * @param name as in {@link ServiceOptions#name()}. Names beyond the first {@value RequestStatistics#NAMES_MAX} are not kept
     * @throws IllegalArgumentException if the tag or the name is not allowed
     */
    void nameService(long tag, String name);

    /**
     * Allocates memory that peers may reach. As {@link Context#allocate}.
     *
     * @param length bytes, 1 and up
     * @param rights what peers may do, not empty
     * @return the region, closed with the node at the latest
     * @throws FairleadException {@code REGISTRATION_FAILED} or {@code LIMIT_REACHED}, or {@code CLOSED} if the node is
     */
    default MemoryRegion allocate(long length, Set<AccessRight> rights) {
        return allocate(length, rights, "");
    }

    /**
     * Allocates memory that peers may reach, under a label. As {@link Context#allocate(long, Set, String)}.
     *
     * @param length bytes, 1 and up
     * @param rights what peers may do, not empty
     * @param label the region's name for an {@link Authorizer} and in a file of rules
     * @return the region, closed with the node at the latest
     * @throws FairleadException {@code REGISTRATION_FAILED} or {@code LIMIT_REACHED}, or {@code CLOSED} if the node is
     */
    MemoryRegion allocate(long length, Set<AccessRight> rights, String label);

    /**
     * Lets peers reach memory of the caller's. As {@link Context#register}.
     *
     * @param segment native memory accessible from any thread and aligned to 8 bytes, alive until the region is closed
     * @param rights what peers may do, not empty
     * @return the region, closed with the node at the latest
     * @throws FairleadException {@code REGISTRATION_FAILED} or {@code LIMIT_REACHED}, or {@code CLOSED} if the node is
     */
    default MemoryRegion register(MemorySegment segment, Set<AccessRight> rights) {
        return register(segment, rights, "");
    }

    /**
     * Lets peers reach memory of the caller's, under a label. As {@link Context#register(MemorySegment, Set, String)}.
     *
     * @param segment native memory accessible from any thread and aligned to 8 bytes, alive until the region is closed
     * @param rights what peers may do, not empty
     * @param label the region's name for an {@link Authorizer} and in a file of rules
     * @return the region, closed with the node at the latest
     * @throws FairleadException {@code REGISTRATION_FAILED} or {@code LIMIT_REACHED}, or {@code CLOSED} if the node is
     */
    MemoryRegion register(MemorySegment segment, Set<AccessRight> rights, String label);

    /**
     * A progress thread and its worker, for layers such as publish-subscribe, which need more than the node offers. On a progress thread
     * it is that thread; other calls take turns over the node's threads.
     *
     * @return the same object for the same thread
     */
    WorkerThread workerThread();

    /**
     * Sets the observer of every later operation, for tracing or the like. An operation that has begun keeps its observer.
     *
     * @param observer replaces the one before; {@link NodeObserver#NONE} for none
     */
    void observe(NodeObserver observer);

    /**
     * Sets the interceptor of later requests and services. A service that runs keeps its handler.
     *
     * @param interceptor replaces the one before; {@link RequestInterceptor#NONE} for none
     */
    void intercept(RequestInterceptor interceptor);

    /**
     * The context of this node, for what the node does not offer. The node closes it.
     *
     * @return never changes
     */
    Context context();

    /**
     * Prepares the end of this node without a failed request. Its entries leave the registries. Connected peers are notified; their sets choose other members at
     * once, and their later requests fail with {@link RequestStatus#UNAVAILABLE}, safe to send again. Requests that are running, waiting or on
     * their way here are answered. Services, connections and everything else stay until {@link #close}, which the caller calls next.
     *
     * <p>Call it before {@link Service#close}. It cannot be undone. Requests of this node to others are not affected.
     *
     * @param timeout how long to wait, 0 and up
     * @return true when all requests are answered, no peer sends another, and registries have removed this node. False if the time-out comes
     *     first, or the thread is interrupted
     * @throws IllegalStateException on a progress thread
     */
    boolean drain(Duration timeout);

    /**
     * Closes listeners and peers gracefully. A node that has had a service first {@linkplain #drain drains} for at most {@code close.timeout}. What was sent before has {@code close.timeout} to leave. Then every unfinished future fails with
     * {@link Status#CLOSED}, exactly once, and the threads end. Idempotent.
     *
     * <p>Waits for all of that, at most five times {@code close.timeout} and a second, unless called on a progress thread, where it only starts the
     * close. A callback that blocks a progress thread meanwhile is interrupted; if it does not yield, a warning names it, this method returns,
     * and the close ends when the callback does. If a callback has called {@code System.exit}, which does not return, this does not wait for it.
     */
    @Override
    void close();
}
