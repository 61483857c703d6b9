package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.spi.DirectEndpoint;
import io.fairlead.spi.TransportEndpoint;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Posts the sends of one endpoint: checks them, pays their credits, and passes them to the transport. */
final class MessagePosts {
    private static final int GATHER_MAX = 64;

    private final WorkerThread thread;
    private final PostingState posts;
    private final CompletionDelivery completions;
    private final Runnable onCreditsShort;

    MessagePosts(WorkerThread thread, PostingState posts, CompletionDelivery completions, Runnable onCreditsShort) {
        this.thread = thread;
        this.posts = posts;
        this.completions = completions;
        this.onCreditsShort = onCreditsShort;
    }

    long send(
            MemorySegment buffer,
            long offset,
            long length,
            long tag,
            Completion completion,
            long userData,
            boolean untilMatched) {
        Checks.source("send", thread, buffer, offset, length);
        return send(buffer, null, offset, length, tag, completion, userData, untilMatched);
    }

    long send(MemorySegment[] buffers, long tag, Completion completion, long userData) {
        if (buffers.length == 0 || buffers.length > GATHER_MAX) {
            throw new IllegalArgumentException(
                    "gather list out of range: count=" + buffers.length + ", allowed 1 to " + GATHER_MAX + " buffers");
        }
        long total = 0;
        for (MemorySegment buffer : buffers) {
            Checks.source("send", thread, buffer, 0, buffer.byteSize());
            total += buffer.byteSize();
        }
        return send(MemorySegment.NULL, buffers, 0, total, tag, completion, userData, false);
    }

    private long send(
            MemorySegment buffer,
            MemorySegment @Nullable [] buffers,
            long offset,
            long length,
            long tag,
            Completion completion,
            long userData,
            boolean untilMatched) {
        Objects.requireNonNull(completion, "completion");
        Checks.tag(tag);
        TransportEndpoint transport = posts.transport();
        if (transport == null) {
            return posts.refusal();
        }
        Credits credits = posts.credits();
        long cost = credits.cost(length);
        if (!credits.tryPay(cost)) {
            onCreditsShort.run();
            return posts.backPressure();
        }
        if (buffers == null && !untilMatched && trySend(buffer, offset, length, tag, completion, cost)) {
            return posts.done(CoreOperation.SEND, tag, length, completion, userData);
        }
        CoreOperation operation = posts.take(CoreOperation.SEND, completion, userData);
        if (operation == null) {
            credits.refund(cost);
            return posts.backPressure();
        }
        if (buffers == null) {
            operation.setMemory(buffer, offset, length);
        } else {
            operation.setGather(buffers, length);
        }
        operation.setMessage(tag, untilMatched);
        long id = operation.id;
        boolean taken;
        try {
            taken = transport.send(operation);
        } catch (Throwable thrown) {
            if (!posts.tryTakeBack(operation, thrown)) {
                return id;
            }
            credits.refund(cost);
            Checks.stillAlive("send", buffers == null ? new MemorySegment[] {buffer} : buffers);
            throw thrown;
        }
        if (taken) {
            completions.endPost(operation);
            return id;
        }
        credits.refund(cost);
        return posts.refuse(operation);
    }

    private boolean trySend(
            MemorySegment buffer, long offset, long length, long tag, Completion completion, long cost) {
        DirectEndpoint direct = posts.direct(completion);
        try {
            return direct != null && direct.trySend(buffer, offset, length, tag);
        } catch (Throwable thrown) {
            posts.credits().refund(cost);
            Checks.stillAlive("send", buffer);
            throw thrown;
        }
    }
}
