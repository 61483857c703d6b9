package io.fairlead.services;

import io.fairlead.node.Node;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceOptions;
import io.fairlead.services.ServiceMethod.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * An interface that a node serves. Thread-safe.
 *
 * @see TypedServices#serve(Node, Class, Object, PayloadCodec)
 */
public final class TypedService implements AutoCloseable {
    /** Waiting polls have slots for as long as they wait; streams are limited by peer. */
    private static final int POLLS_MAX = 1 << 16;

    private static final long LOOK_NS = 1_000_000;

    private final String name;
    /** Of calls, and of requests to open a stream. */
    private final List<Service> calls = new ArrayList<>();
    /** Of requests for items of open streams. */
    private final List<Service> polls = new ArrayList<>();

    private final List<ServedStreams> streams = new ArrayList<>();

    private TypedService(String name) {
        this.name = name;
    }

    static TypedService serve(
            Node node, Class<?> type, Object target, PayloadCodec codec, int payloadMax, ServeOptions options) {
        TypedService service = new TypedService(ServiceInterface.name(type));
        List<ServiceMethod> methods = ServiceInterface.methods(type);
        methods.forEach(method -> requireAccessible(method, target));
        List<MethodCoders> coders = methods.stream()
                .map(method -> new MethodCoders(method, codec, payloadMax))
                .toList();
        boolean served = false;
        try {
            for (int i = 0; i < methods.size(); i++) {
                service.add(node, methods.get(i), target, codec, coders.get(i), options);
            }
            served = true;
        } finally {
            if (!served) {
                service.close();
            }
        }
        return service;
    }

    private static void requireAccessible(ServiceMethod method, Object target) {
        if (!method.method().canAccess(target) && !method.method().trySetAccessible()) {
            Class<?> type = method.method().getDeclaringClass();
            throw new IllegalArgumentException(
                    "method of a typed service cannot be called: method=" + method.name() + "; make " + type.getName()
                            + " public and export its package, or open it to io.fairlead.services");
        }
    }

    private void add(
            Node node,
            ServiceMethod method,
            Object target,
            PayloadCodec codec,
            MethodCoders coders,
            ServeOptions options) {
        boolean streaming = method.shape() == Shape.STREAM;
        CallHead head = new CallHead(streaming ? CallHead.OPEN : CallHead.CALL, codec);
        ServiceOptions requests = options.requests();
        ServedMethod served = new ServedMethod(method, target, head, coders, requests.messagesToCallers());
        if (!streaming) {
            calls.add(serve(node, method, method.tag(), served, requests.named(method.label())));
            return;
        }
        ServedStreams opened = new ServedStreams(method, served, codec, coders, options);
        streams.add(opened);
        ServiceOptions waiting = requests.limits(POLLS_MAX, 0).named(method.streamLabel());
        polls.add(serve(node, method, method.streamTag(), opened::next, waiting));
        calls.add(serve(node, method, method.tag(), opened::open, requests.named(method.label())));
    }

    private static Service serve(
            Node node,
            ServiceMethod method,
            long tag,
            io.fairlead.node.ServiceHandler handler,
            ServiceOptions options) {
        try {
            return node.serve(tag, handler, options);
        } catch (IllegalStateException taken) {
            throw new IllegalStateException(
                    "the node has a service with the tag of a method: method=" + method.name() + ", tag=" + tag
                            + "; close the service that has it, or give this method another @WireName",
                    taken);
        }
    }

    /**
     * The name that callers use: the interface's full name, or its {@link WireName}.
     *
     * @return never changes
     */
    public String name() {
        return name;
    }

    /**
     * How many calls and requests to open a stream have a slot now.
     *
     * @return 0 and up
     */
    public int running() {
        return calls.stream().mapToInt(Service::running).sum();
    }

    /**
     * How many streams are open now.
     *
     * @return 0 and up
     */
    public int streams() {
        return streams.stream().mapToInt(ServedStreams::count).sum();
    }

    /**
     * Takes no further calls and opens no further streams, and waits until the present ones have ended. Later calls are refused with
     * {@link RequestStatus#UNIMPLEMENTED}, safe to send again. {@link #close} has to follow.
     *
     * @param timeout how long to wait, 0 and up
     * @return true when all have ended; false if the time-out comes first, or the thread is interrupted
     * @throws IllegalStateException on a progress thread
     */
    public boolean drain(Duration timeout) {
        long startNs = System.nanoTime();
        // All are taken out first, so that none takes a call while another is waited for.
        calls.forEach(each -> {
            boolean _ = each.drain(Duration.ZERO);
        });
        for (Service each : calls) {
            if (!each.drain(left(startNs, timeout))) {
                return false;
            }
        }
        while (streams() > 0) {
            if (left(startNs, timeout).isZero() || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(this, LOOK_NS);
        }
        return true;
    }

    private static Duration left(long startNs, Duration timeout) {
        Duration left = timeout.minusNanos(System.nanoTime() - startNs);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /**
     * Takes no further calls, and ends open streams with {@link RequestStatus#UNAVAILABLE}. Running calls continue. Idempotent. A node that closes does
     * the same.
     */
    @Override
    public void close() {
        calls.forEach(Service::close);
        streams.forEach(ServedStreams::close);
        polls.forEach(Service::close);
    }

    @Override
    public String toString() {
        return "typed service[name=" + name + ", running=" + running() + ", streams=" + streams() + "]";
    }
}
