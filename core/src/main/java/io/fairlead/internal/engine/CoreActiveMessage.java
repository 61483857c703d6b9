package io.fairlead.internal.engine;

import io.fairlead.ActiveMessage;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Status;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.matching.MessageSource;
import io.fairlead.spi.EagerPool;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An active message from its arrival to its release. Pooled by {@link ActiveMessages}, unless a handler keeps it: the
 * handler may then refer to it after its release. Its fields belong to the engine, on the worker's thread.
 */
final class CoreActiveMessage implements ActiveMessage {
    /** Does what the message is asked for. */
    interface Owner {
        /** The transport has filled the memory of a message, or has discarded its payload, or never will. */
        void ended(CoreActiveMessage message, Status status);

        /** The handler keeps the message. */
        void keep(CoreActiveMessage message);

        /** Receives the payload, which is at the sender. */
        long receive(
                CoreActiveMessage message,
                MemorySegment buffer,
                long offset,
                long length,
                Completion completion,
                long userData);

        /** Ends a kept message; does nothing to another one. */
        void release(CoreActiveMessage message);
    }

    // States of the message, the usable ones last. They are numbers, because a collector tracks every store of a
    // reference.

    /** In the pool, or released. */
    static final int FREE = 0;
    /** The transport fills the memory. */
    static final int ARRIVING = 1;
    /** The handler may have it. */
    static final int READY = 2;
    /** Bytes are missing and will not arrive. */
    static final int LOST = 3;
    /** The transport discards the payload. */
    static final int DISCARDED = 4;
    /** Its handler is running. */
    static final int HANDLED = 5;
    /** The handler has kept it. */
    static final int KEPT = 6;

    /** What the transport fills: the memory of an eager message, or nothing to discard a payload at its sender. */
    private final class Receive extends OwnReceive {
        @Override
        public MemorySegment buffer() {
            return state == DISCARDED ? MemorySegment.NULL : memory;
        }

        @Override
        public long length() {
            return state == DISCARDED ? 0 : headerLength + length;
        }

        @Override
        public void complete(Status status, long bytes, long value) {
            next = null;
            attachment = null;
            word = 0;
            owner.ended(CoreActiveMessage.this, status);
        }
    }

    private final Owner owner;
    final Operation receive = new Receive();
    int state = FREE;
    /** It does not return to the pool. */
    boolean isPrivate;

    @Nullable MessageSource from;
    /** Link of the messages of its endpoint that arrive. */
    @Nullable CoreActiveMessage next;
    /** What the transport knows of it: until an eager message has ended, or a payload at its sender is asked for. */
    @Nullable CoreArrival arrival;

    int number;
    int headerLength;
    long length;
    /** The payload is at its sender, and no receive was posted for it. */
    boolean isAtSender;

    /** The payload is in the memory, behind the header. */
    boolean isWhole;
    /** The credits that it holds. */
    long cost;

    EagerPool.@Nullable Slab slab;
    int block;
    MemorySegment memory = MemorySegment.NULL;

    CoreActiveMessage(Owner owner) {
        this.owner = owner;
    }

    private void checkValid() {
        if (state < HANDLED) {
            throw new IllegalStateException("active message is released; keep it to use it after its handler's call");
        }
    }

    @Override
    public Endpoint source() {
        checkValid();
        // Every source is an endpoint.
        return (Endpoint) Objects.requireNonNull(from, "from");
    }

    @Override
    public int handler() {
        checkValid();
        return number;
    }

    @Override
    public MemorySegment buffer() {
        checkValid();
        return memory;
    }

    @Override
    public int headerLength() {
        checkValid();
        return headerLength;
    }

    @Override
    public long length() {
        checkValid();
        return length;
    }

    @Override
    public boolean isWhole() {
        checkValid();
        return isWhole;
    }

    @Override
    public void keep() {
        owner.keep(this);
    }

    @Override
    public long receive(MemorySegment buffer, long offset, long bytes, Completion completion, long userData) {
        checkValid();
        return owner.receive(this, buffer, offset, bytes, completion, userData);
    }

    @Override
    public void release() {
        owner.release(this);
    }
}
