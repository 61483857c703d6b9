package io.fairlead.netty;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One message that a channel sends, from its gathering until its promises are completed. Then the object is reused. On the loop's thread. */
final class Flight implements Completion.Immediate {
    private final ChannelState state;
    /** The buffers that the memory belongs to; retained until the send has completed. */
    private final ArrayDeque<ByteBuf> owners = new ArrayDeque<>();

    private long bytes;
    private boolean done;
    private boolean posting;
    private Status status = Status.OK;
    private @Nullable FileRegion region;
    private @Nullable Staging staging;
    /** The memory of a message of one part, which begins at offset 0. */
    private MemorySegment memory = MemorySegment.NULL;

    private MemorySegment @Nullable [] parts;
    private boolean retained;

    Flight(ChannelState state) {
        this.state = state;
    }

    Flight of(Gathering from, Staging staged) {
        bytes = from.bytes();
        staging = staged;
        List<MemorySegment> gathered = from.parts();
        if (gathered.isEmpty()) {
            memory = staged.memory();
        } else if (gathered.size() == 1) {
            memory = gathered.getFirst();
        } else {
            parts = gathered.toArray(MemorySegment[]::new);
        }
        owners.addAll(from.owners());
        return this;
    }

    Flight of(FileRegion from, ByteBuf read) {
        region = from;
        bytes = read.readableBytes();
        memory = MemorySegment.ofBuffer(read.internalNioBuffer(read.readerIndex(), read.readableBytes()));
        owners.add(read);
        return this;
    }

    /** The message's length in bytes. */
    long bytes() {
        return bytes;
    }

    boolean isOfFile() {
        return region != null;
    }

    /** Whether the send has completed, with any status. */
    boolean isDone() {
        return done;
    }

    /** Whether the send has succeeded. */
    boolean isSent() {
        return done && status == Status.OK;
    }

    /** Posts the message; returns the endpoint's result. */
    long post(Endpoint endpoint) {
        done = false;
        posting = true;
        MemorySegment[] several = parts;
        long posted = several == null
                ? endpoint.sendActive(Streams.HANDLER, MemorySegment.NULL, memory, 0, bytes, this, 0)
                : endpoint.sendActiveGather(Streams.HANDLER, MemorySegment.NULL, several, this, 0);
        posting = false;
        if (posted > 0 && !done) {
            // Only now, because a send that completes inside its post needs no second owner.
            retained = true;
            if (region == null) {
                owners.forEach(ByteBuf::retain);
            }
        }
        return posted;
    }

    @Override
    public void completed(Request request) {
        done = true;
        status = request.status();
        if (!posting) {
            release();
            state.proceedSoon();
        }
    }

    private void release() {
        if (retained || region != null) {
            owners.forEach(ByteBuf::release);
        }
        retained = false;
        owners.clear();
        Staging staged = staging;
        LoopWorker loop = state.loop();
        if (staged != null && loop != null) {
            staging = null;
            loop.giveBack(staged);
        }
    }

    /** Removes the message's bytes from the writes, and completes the promises of the writes that are sent whole. */
    void remove(ChannelOutboundBuffer from) {
        FileRegion file = region;
        if (file != null) {
            from.progress(bytes);
            if (file.transferred() >= file.count()) {
                from.remove();
            }
            return;
        }
        long left = bytes;
        while (left > 0 && from.current() instanceof ByteBuf buffer) {
            int readable = buffer.readableBytes();
            if (readable > left) {
                buffer.skipBytes((int) left);
                from.progress(left);
                return;
            }
            left -= readable;
            from.progress(readable);
            from.remove();
        }
    }

    /** Releases everything, so that the object can be reused. */
    void clear() {
        release();
        region = null;
        memory = MemorySegment.NULL;
        parts = null;
        bytes = 0;
        done = false;
        status = Status.OK;
    }
}
