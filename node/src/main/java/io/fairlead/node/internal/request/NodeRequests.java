package io.fairlead.node.internal.request;

import io.fairlead.Authorizer;
import io.fairlead.node.RequestInterceptor;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.frame.RequestFrame;
import io.fairlead.node.internal.loop.LoopGroup;
import io.fairlead.node.internal.loop.NodeSettings;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.memory.ByteBudget;
import io.fairlead.node.internal.memory.ByteLimit;
import io.fairlead.node.internal.memory.NativePool;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the peers of a node share for requests: services, bounds, counters and memory for short messages. Thread-safe. */
public final class NodeRequests {
    /** So many refusals and cancels can leave at once where the process has no memory. */
    private static final int SHORT_BLOCKS = 16;

    private static final long SHORT_LENGTH = RequestFrame.HEADER_LENGTH + RequestFrame.REFUSAL_LENGTH_MAX;

    /** So many of the longest messages fit into what the requests of one peer may hold. */
    private static final int MESSAGES_HELD = 4;

    private static final long BYTES_LEAST = 1 << 20;

    private final LoopGroup group;
    private final TagMap<NodeService> services = new TagMap<>();
    private final ByteBudget bytes;
    private final List<OnLoop> loops;
    private final ContextRequests counted;
    private volatile boolean hasServed;
    private volatile boolean leaving;
    private volatile boolean hasLeft;

    public NodeRequests(LoopGroup group) {
        this.group = group;
        this.bytes = new ByteBudget(group.settings().queueBytes());
        this.counted = ContextRequests.of(group.context());
        this.loops = group.loops().stream()
                .map(_ ->
                        new OnLoop(counted.newLoop(), group.pool(), group.pool().reserve(SHORT_BLOCKS, SHORT_LENGTH)))
                .toList();
    }

    /**
     * What the requests of one loop share. For the loop's thread, unless a counter says otherwise.
     *
     * @param counters its counters
     * @param pool memory of the node
     * @param reserve for refusals and cancels where the process has no other memory, so that a request is always answered
     */
    record OnLoop(RequestCounters counters, NativePool pool, Deque<NativePool.Block> reserve) {
        /** Memory for a refusal or a cancel; null if there is none now. */
        NativePool.@Nullable Block shortBlock() {
            try {
                return pool.stage(SHORT_LENGTH);
            } catch (OutOfMemoryError none) {
                return reserve.poll();
            }
        }
    }

    OnLoop on(ProgressLoop loop) {
        return loops.get(loop.index());
    }

    LoopGroup group() {
        return group;
    }

    /** Starts a service. */
    public Service serve(long tag, ServiceHandler handler, ServiceOptions options) {
        if (group.isStopping()) {
            throw Failures.nodeClosed();
        }
        RequestInterceptor interceptor = group.interceptor();
        ServiceHandler first = interceptor == null ? handler : interceptor.serve(tag, handler);
        NodeService service = new NodeService(
                group, services, tag, first, options, counted.served().add(tag, options.name()));
        if (services.putIfAbsent(service) != null) {
            throw new IllegalStateException("tag is served already: tag=" + tag + "; close the other service first");
        }
        hasServed = true;
        return service;
    }

    /** Whether it has had a service, for whose requests a close waits. */
    public boolean hasServed() {
        return hasServed;
    }

    /** The node leaves: peers are notified, at the latest with their next request. */
    public void leave() {
        leaving = true;
    }

    /** The drain has ended: later requests are refused, from every peer. */
    public void left() {
        hasLeft = true;
    }

    boolean hasLeft() {
        return hasLeft;
    }

    boolean isLeaving() {
        return leaving;
    }

    /** What is counted of requests to a service. */
    ServiceFigures called(long tag) {
        return counted.called().of(tag);
    }

    /** Names a service that the node asks. */
    public void nameCalled(long tag, String name) {
        counted.called().name(tag, name);
    }

    TagMap<NodeService> services() {
        return services;
    }

    Authorizer authorizer() {
        return group.context().authorizer();
    }

    /** A bound on the requests of one peer that are not answered. */
    ByteLimit newByteLimit() {
        NodeSettings settings = group.settings();
        long most = Math.max(BYTES_LEAST, MESSAGES_HELD * settings.messageMax());
        return new ByteLimit(bytes, Math.min(most, Math.max(settings.queueBytes() / 2, settings.messageMax())));
    }
}
