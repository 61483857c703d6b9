package io.fairlead.transport.tcp;

import io.fairlead.AccessRight;
import io.fairlead.spi.LocalRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Serves the peer's puts, gets and atomics on the regions of this process, and checks each frame against region, right and
 * range. The peer's core has checked the same, so that a frame that fails is no mistake of an application.
 */
final class RegionServer {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private final TcpEndpoint endpoint;
    private final PutSink putSink = new PutSink();
    /** A put was refused since the last flush. */
    private boolean refused;

    RegionServer(TcpEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * A put, or a part of one.
     *
     * @param reader who reads it
     * @param frame where its header begins in the receive buffer
     * @param type its type
     * @param length its payload's length
     * @param available how much of the payload, or of what follows it, is there
     * @return how many bytes were used up
     */
    int put(FrameReader reader, int frame, int type, int length, int available) {
        MemorySegment buffer = reader.buffer();
        long regionId = Frame.word(buffer, frame + 8);
        long offset = Frame.word(buffer, frame + 16);
        boolean isWhole = length <= available;
        LocalRegion region = endpoint.host.acquireRegion(regionId);
        if (region == null) {
            refused = true;
        } else {
            try {
                check(region, AccessRight.WRITE, Frame.name(type), offset, length);
                if (isWhole) {
                    MemorySegment.copy(buffer, frame + Frame.header(type), region.segment(), offset, length);
                }
            } finally {
                region.release();
            }
        }
        boolean signals = type == Frame.PUT_SIGNAL;
        long signal = signals ? Frame.word(buffer, frame + 24) : 0;
        if (!isWhole) {
            putSink.begin(regionId, offset, signals, signal);
            reader.receive(putSink, length);
            return 0;
        }
        if (signals && region != null) {
            signalled(signal);
        }
        return length;
    }

    private void signalled(long signal) {
        // Other threads of the process that learn of the signal must find the data.
        VarHandle.releaseFence();
        endpoint.host.signalled(signal);
    }

    void get(long id, long regionId, long offset, long length) {
        LocalRegion region = endpoint.host.acquireRegion(regionId);
        if (region == null) {
            endpoint.answers.answer(Frame.GET_REFUSED, 0, id, 0, 0);
            return;
        }
        try {
            check(region, AccessRight.READ, "GET", offset, length);
            if (length > SendQueue.COPY_MAX || !endpoint.answers.isEmpty() || !copy(id, region, offset, (int) length)) {
                endpoint.streams.get(id, regionId, offset, length);
            }
        } finally {
            region.release();
        }
        endpoint.markDirty();
    }

    private boolean copy(long id, LocalRegion region, long offset, int length) {
        int header = Frame.header(Frame.GET_DATA);
        int at = endpoint.queue.reserve(header + length);
        if (at < 0) {
            return false;
        }
        MemorySegment queue = endpoint.queue.segment();
        Frame.word(queue, at, Frame.first(Frame.GET_DATA, Frame.LAST, length));
        Frame.word(queue, at + 8, id);
        MemorySegment.copy(region.segment(), offset, queue, at + header, length);
        return true;
    }

    /** Serves an atomic, of which the words from the region's id on are at a place of the receive buffer. */
    void atomic(int code, long id, MemorySegment frame, int at) {
        LocalRegion region = endpoint.host.acquireRegion(Frame.word(frame, at));
        if (region == null) {
            endpoint.answers.answer(Frame.ATOMIC_RESULT, Frame.REFUSED, id, 0, 0);
            return;
        }
        long before;
        try {
            long offset = Frame.word(frame, at + 8);
            check(region, AccessRight.ATOMIC, "ATOMIC", offset, Long.BYTES);
            if ((offset & (Long.BYTES - 1)) != 0) {
                throw Frame.violation("ATOMIC", "offset", offset, "multiples of " + Long.BYTES + " bytes");
            }
            before = change(code, region.segment(), offset, Frame.word(frame, at + 16), Frame.word(frame, at + 24));
        } finally {
            region.release();
        }
        endpoint.answers.answer(Frame.ATOMIC_RESULT, 0, id, before, 0);
    }

    private static long change(int code, MemorySegment segment, long offset, long operand, long compare) {
        return switch (code) {
            case 0 -> (long) WORD.getAndAdd(segment, offset, operand);
            case 1 -> (long) WORD.getAndBitwiseAnd(segment, offset, operand);
            case 2 -> (long) WORD.getAndBitwiseOr(segment, offset, operand);
            case 3 -> (long) WORD.getAndBitwiseXor(segment, offset, operand);
            case 4 -> (long) WORD.getAndSet(segment, offset, operand);
            default -> (long) WORD.compareAndExchange(segment, offset, compare, operand);
        };
    }

    /** Everything before the question has been served, because it stood before it in the stream. */
    void flush(long id) {
        boolean wasRefused = refused;
        refused = false;
        endpoint.answers.answer(Frame.FLUSHED, wasRefused ? Frame.REFUSED : 0, id, 0, 0);
    }

    private static void check(LocalRegion region, AccessRight right, String frame, long offset, long length) {
        long size = region.segment().byteSize();
        if (!region.allows(right)) {
            throw Frame.violation(frame, "right", 0, "regions with " + right);
        }
        if (length < 0 || length > size) {
            throw Frame.violation(frame, "length", length, "0 to " + size + " bytes, the region's size");
        }
        if (offset < 0 || offset > size - length) {
            throw Frame.violation(
                    frame,
                    "offset",
                    offset,
                    "0 to " + (size - length) + " for " + length + " bytes of a region of " + size);
        }
    }

    /** Puts the data of a put into its region, which is held for each piece anew. */
    private final class PutSink implements Sink {
        private long regionId;
        private long offset;
        private boolean signals;
        private long signal;
        private @Nullable LocalRegion held;

        void begin(long newRegion, long newOffset, boolean hasSignal, long newSignal) {
            regionId = newRegion;
            offset = newOffset;
            signals = hasSignal;
            signal = newSignal;
        }

        @Override
        public void take(MemorySegment source, int at, int count) {
            LocalRegion region = endpoint.host.acquireRegion(regionId);
            if (region == null) {
                refused = true;
            } else {
                try {
                    MemorySegment.copy(source, at, region.segment(), offset, count);
                } finally {
                    region.release();
                }
            }
            offset += count;
        }

        @Override
        public @Nullable ByteBuffer target(int missing) {
            LocalRegion region = endpoint.host.acquireRegion(regionId);
            if (region == null) {
                refused = true;
                return null;
            }
            held = region;
            return endpoint.worker.views().view(region.segment(), offset, missing);
        }

        @Override
        public void filled(int count) {
            offset += count;
            LocalRegion region = held;
            if (region != null) {
                held = null;
                region.release();
            }
        }

        @Override
        public void end() {
            if (!signals) {
                return;
            }
            LocalRegion region = endpoint.host.acquireRegion(regionId);
            if (region == null) {
                refused = true;
            } else {
                region.release();
                signalled(signal);
            }
        }

        @Override
        public void abandon() {
            signals = false;
        }
    }
}
