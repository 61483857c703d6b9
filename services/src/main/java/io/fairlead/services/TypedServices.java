package io.fairlead.services;

import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import java.time.Duration;
import java.util.Objects;

/**
 * Services as Java interfaces. A service is an interface whose abstract methods take one argument or none. A method returns
 *
 * <ul>
 *   <li>a value, or nothing: the caller's thread waits, which virtual threads do cheaply;
 *   <li>a {@code CompletableFuture<T>} or {@code CompletionStage<T>}: it completes where futures of the caller's node do;
 *   <li>a {@code Flow.Publisher<T>}: each subscription calls the method, and its demand is what the service's publisher is asked for.
 * </ul>
 *
 * <p>Methods have different names, no type parameters, and declare no checked exceptions. Default and static methods run at the caller. What breaks these
 * rules is refused when the service or client is made.
 *
 * <p>A call is a request of {@link Node}: its limits, deadlines, failures and retries are those of requests. It fails with {@link RequestException}. One that the
 * method throws reaches the caller with its status and text, any other as its class alone. Neither arguments nor results are null.
 */
public final class TypedServices {
    private TypedServices() {}

    /**
     * Serves an interface by {@link ServeOptions#DEFAULT}.
     *
     * @param <T> the interface
     * @param node the node whose peers may call
     * @param type the interface
     * @param target answers the calls, of several threads at once
     * @param codec carries arguments and results
     * @return the service, closed with the node
     * @throws IllegalArgumentException if the interface breaks a rule, or the codec cannot carry one of its types
     * @throws IllegalStateException if the node has a service with the tag of a method
     */
    public static <T> TypedService serve(Node node, Class<T> type, T target, PayloadCodec codec) {
        return serve(node, type, target, codec, ServeOptions.DEFAULT);
    }

    /**
     * Serves an interface.
     *
     * @param <T> the interface
     * @param node the node whose peers may call
     * @param type the interface
     * @param target answers the calls, of several threads at once
     * @param codec carries arguments and results. Results have at most {@code node.message-max} bytes of this node
     * @param options where methods run, and the limits of calls and streams
     * @return the service, closed with the node
     * @throws IllegalArgumentException if the interface breaks a rule, or the codec cannot carry one of its types
     * @throws IllegalStateException if the node has a service with the tag of a method
     */
    public static <T> TypedService serve(Node node, Class<T> type, T target, PayloadCodec codec, ServeOptions options) {
        Objects.requireNonNull(target, "target");
        int payloadMax = node.context().config().value(NodeKeys.MESSAGE_MAX);
        return TypedService.serve(node, type, target, codec, payloadMax, options);
    }

    /**
     * Calls the service of one peer.
     *
     * @param <T> the interface
     * @param peer serves the interface
     * @param type the interface
     * @param codec the service's codec
     * @param options deadline and limits
     * @return an object whose methods call the service. Thread-safe; there is nothing to close
     * @throws IllegalArgumentException if the interface breaks a rule, or the codec cannot carry one of its types
     */
    public static <T> T client(Peer peer, Class<T> type, PayloadCodec codec, ClientOptions options) {
        return ClientProxy.create(type, peer.node(), peer::request, codec, options, peer);
    }

    /**
     * Calls the service of one peer by {@link ClientOptions#DEFAULT}.
     *
     * @param <T> the interface
     * @param peer serves the interface
     * @param type the interface
     * @param codec the service's codec
     * @return as {@link #client(Peer, Class, PayloadCodec, ClientOptions)}
     */
    public static <T> T client(Peer peer, Class<T> type, PayloadCodec codec) {
        return client(peer, type, codec, ClientOptions.DEFAULT);
    }

    /**
     * Calls the service of members of a set: each call goes to one, and to another if no handler has seen it. A stream stays at the member where it was opened.
     *
     * @param <T> the interface
     * @param peers serve the interface
     * @param type the interface
     * @param codec the services' codec
     * @param options deadline and limits
     * @return an object whose methods call the service. Thread-safe; there is nothing to close
     * @throws IllegalArgumentException if the interface breaks a rule, or the codec cannot carry one of its types
     */
    public static <T> T client(PeerSet peers, Class<T> type, PayloadCodec codec, ClientOptions options) {
        return ClientProxy.create(type, peers.node(), peers::request, codec, options, peers.name());
    }

    /**
     * Calls the service of members of a set by {@link ClientOptions#DEFAULT}.
     *
     * @param <T> the interface
     * @param peers serve the interface
     * @param type the interface
     * @param codec the services' codec
     * @return as {@link #client(PeerSet, Class, PayloadCodec, ClientOptions)}
     */
    public static <T> T client(PeerSet peers, Class<T> type, PayloadCodec codec) {
        return client(peers, type, codec, ClientOptions.DEFAULT);
    }

    /**
     * Makes calls that have to end within a time together. The calls of this thread, and of threads that inherit its scoped values, get what is left of it, or
     * their client's deadline if that is sooner. What is left of an enclosing {@code within} is not exceeded. A call without time left fails with
     * {@link RequestStatus#DEADLINE_EXCEEDED} and sends nothing. A stream has to be opened within the time, and may last longer.
     *
     * @param <R> what the calls return
     * @param <X> what they throw
     * @param time from now, up to a day
     * @param calls makes the calls
     * @return what the calls return
     * @throws X what the calls throw
     */
    public static <R, X extends Throwable> R within(Duration time, ScopedValue.CallableOp<? extends R, X> calls)
            throws X {
        return CallDeadline.within(time, calls);
    }
}
