package io.fairlead.spi.served;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LocalRegion;
import io.fairlead.spi.RegionProof;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The serving side of an endpoint: serves the peer's requests on the regions of this context, in their order, and answers them. Belongs to the worker's
 * thread.
 *
 * <p>Every request is checked for range and rights. The peer's core has checked them too, so a failed check is a
 * violation of the protocol and not a fault of an application.
 *
 * <p>Puts and atomics take effect when their request arrives. The data of a get is read when its answer is sent; if the
 * channel was full, that can be after a later put has taken effect. {@link RemoteRequester#fence} prevents that.
 */
public final class RemoteResponder {
    /** An answer that is not completely sent. */
    private static final class Answer {
        int kind;
        int flags;
        /** For an atomic: the previous value of the word. */
        long value;
        /** For a get: the region, and the range in it that is not sent yet. */
        long region;

        long offset;
        long left;
    }

    private final EndpointHost host;
    private final ServedChannel channel;
    private final ServedLimits limits;
    private final ServedMessage out = new ServedMessage();
    private final PutIntake intake = new PutIntake();
    private final RecordQueue<Answer> answers = new RecordQueue<>(Answer::new);
    /** A put was refused, and no answer has reported it to the peer yet. */
    private boolean refused;
    /** The channel has borrowed data of the oldest answer. */
    private boolean borrowed;

    /**
     * Creates the serving side of an endpoint.
     *
     * @param host the core's side of the endpoint
     * @param channel carries the answers
     * @param limits the limits, the same as the peer's
     */
    public RemoteResponder(EndpointHost host, ServedChannel channel, ServedLimits limits) {
        this.host = host;
        this.channel = channel;
        this.limits = limits;
    }

    /**
     * Serves a request that has arrived with all of its data.
     *
     * @param request the request, checked and read
     * @param data the memory that holds the data of a put
     * @param at the offset of the first byte there
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if the peer must not make such a request; the transport fails the endpoint with it
     * @throws IllegalArgumentException if the message is an answer
     */
    public void request(ServedMessage request, MemorySegment data, long at) {
        admit(request);
        switch (request.kind) {
            case ServedMessage.PUT -> put(request, data, at);
            case ServedMessage.GET -> get(request);
            case ServedMessage.ATOMIC -> atomic(request);
            case ServedMessage.FLUSH -> {
                checkUnread();
                // Everything before it has been served.
                answerDone();
            }
            default -> throw new IllegalArgumentException("an answer is not served: message=" + request.name());
        }
    }

    /**
     * Begins to serve a put whose data arrives in pieces.
     *
     * @param put the request, checked and read
     * @return the intake that takes the data
     * @throws FairleadException as {@link #request}
     */
    public Intake begin(ServedMessage put) {
        admit(put);
        LocalRegion region = acquireForPut(put);
        if (region != null) {
            region.release();
        }
        intake.begin(put);
        return intake;
    }

    private void admit(ServedMessage request) {
        // Other threads and processes must see two operations in order if there is a fence between them. The peer's
        // fences are unknown here, so there is a fence between any two operations; it costs no instruction on x86.
        VarHandle.acquireFence();
        VarHandle.releaseFence();
        RegionProof proof = request.proof();
        if (proof != null) {
            host.admitRegion(proof);
        }
    }

    /**
     * An open region that the peer may use for this. A right that the region grants nobody is left to {@link #check}.
     */
    private @Nullable LocalRegion acquire(long regionId, AccessRight right) {
        LocalRegion region = host.acquireRegion(regionId);
        if (region != null && region.allows(right) && !region.isGranted(right)) {
            region.release();
            return null;
        }
        return region;
    }

    private @Nullable LocalRegion acquireForPut(ServedMessage put) {
        if ((put.flags & ServedMessage.ANSWERED) != 0) {
            checkUnread();
        }
        LocalRegion region = acquire(put.region, AccessRight.WRITE);
        if (region == null) {
            refused = true;
            return null;
        }
        try {
            check("put", region, AccessRight.WRITE, put.offset, put.dataLength(), limits.dataMax());
        } catch (FairleadException violation) {
            region.release();
            throw violation;
        }
        return region;
    }

    private void put(ServedMessage put, MemorySegment data, long at) {
        LocalRegion region = acquireForPut(put);
        if (region != null) {
            try {
                MemorySegment.copy(data, at, region.segment(), put.offset, put.dataLength());
            } finally {
                region.release();
            }
        }
        endPut(put.flags, put.value, region != null);
    }

    private void endPut(int flags, long signal, boolean done) {
        if ((flags & ServedMessage.ANSWERED) != 0) {
            answerDone();
        }
        if (done && (flags & ServedMessage.SIGNAL) != 0) {
            // Other threads of the process that see the signal must see the data.
            VarHandle.releaseFence();
            host.signalled(signal);
        }
    }

    /**
     * Reports to the peer that everything before this is done, which ends its flush. It must be visible to all before a
     * later get reads.
     */
    private void answerDone() {
        VarHandle.fullFence();
        answer(ServedMessage.DONE, 0, 0);
    }

    private void get(ServedMessage get) {
        checkUnread();
        LocalRegion region = acquire(get.region, AccessRight.READ);
        if (region == null) {
            answer(ServedMessage.DATA, ServedMessage.GONE, 0);
            return;
        }
        try {
            check("get", region, AccessRight.READ, get.offset, get.value, limits.getMax());
            Answer answer = queue(ServedMessage.DATA, withRefusal(0), 0);
            answer.region = get.region;
            answer.offset = get.offset;
            answer.left = get.value;
            if (answers.size() == 1) {
                sendData(answer, region.segment());
            }
        } finally {
            region.release();
        }
    }

    private void atomic(ServedMessage atomic) {
        checkUnread();
        LocalRegion region = acquire(atomic.region, AccessRight.ATOMIC);
        if (region == null) {
            answer(ServedMessage.VALUE, ServedMessage.GONE, 0);
            return;
        }
        long before;
        try {
            check("atomic", region, AccessRight.ATOMIC, atomic.offset, Long.BYTES, Long.BYTES);
            if ((atomic.offset & (Long.BYTES - 1)) != 0) {
                throw violation("atomic is not aligned: offset=" + atomic.offset + ", allowed multiples of 8 bytes");
            }
            before = Arithmetic.apply(
                    atomic.arithmetic(), region.segment(), atomic.offset, atomic.value, atomic.compare);
        } finally {
            region.release();
        }
        answer(ServedMessage.VALUE, 0, before);
    }

    /** Sends the waiting answers, as far as the channel has capacity. */
    public void resume() {
        while (!answers.isEmpty() && !borrowed) {
            Answer answer = answers.oldest();
            if (answer.kind == ServedMessage.DATA && (answer.flags & ServedMessage.GONE) == 0) {
                LocalRegion region = acquire(answer.region, AccessRight.READ);
                if (region == null) {
                    answer.flags |= ServedMessage.GONE;
                    continue;
                }
                try {
                    if (!sendData(answer, region.segment())) {
                        return;
                    }
                } finally {
                    region.release();
                }
            } else if (send(answer.kind, answer.flags, answer.value)) {
                answers.remove();
            } else {
                return;
            }
        }
    }

    /**
     * Reports that the channel has read the last byte of the borrowed data. Sends nothing: {@link #resume} does.
     *
     * @param gone true if the region was closed before that, and other bytes were sent instead
     */
    public void left(boolean gone) {
        borrowed = false;
        if (gone) {
            answers.oldest().flags |= ServedMessage.GONE;
        }
    }

    /**
     * Whether answers wait for capacity of the channel.
     *
     * @return true if {@link #resume} must be called later
     */
    public boolean isWaiting() {
        return !answers.isEmpty();
    }

    /** The flags of the next answer, including that of a refused put, which is reported once. */
    private int withRefusal(int flags) {
        int answerFlags = refused ? flags | ServedMessage.REFUSED : flags;
        refused = false;
        return answerFlags;
    }

    private void answer(int kind, int flags, long value) {
        int answerFlags = withRefusal(flags);
        if (!answers.isEmpty() || !send(kind, answerFlags, value)) {
            queue(kind, answerFlags, value);
        }
    }

    private boolean send(int kind, int flags, long value) {
        out.answer(kind, flags, value);
        return channel.send(out) != ServedChannel.Outcome.FULL;
    }

    private Answer queue(int kind, int flags, long value) {
        Answer answer = answers.add();
        answer.kind = kind;
        answer.flags = flags;
        answer.value = value;
        return answer;
    }

    /**
     * Sends the data of the oldest answer, as far as the channel has capacity; false if some is left. The last message
     * is short enough to be copied at once. It reports to the peer that all data was valid, so the region must be open
     * when the channel reads it.
     */
    private boolean sendData(Answer answer, MemorySegment memory) {
        // An answer that waited for capacity reads after the operations that were served meanwhile.
        VarHandle.acquireFence();
        while (true) {
            boolean isLast = answer.left <= limits.copyMax();
            int part = (int) (isLast ? answer.left : Math.min(limits.dataMax(), answer.left - 1));
            out.answer(ServedMessage.DATA, isLast ? answer.flags : ServedMessage.MORE, 0);
            out.region = answer.region;
            out.data(memory, answer.offset, part);
            ServedChannel.Outcome outcome;
            try {
                outcome = channel.send(out);
            } finally {
                out.forget();
            }
            if (outcome == ServedChannel.Outcome.FULL) {
                return false;
            }
            answer.offset += part;
            answer.left -= part;
            if (outcome == ServedChannel.Outcome.BORROWED) {
                borrowed = true;
                return false;
            }
            if (isLast) {
                answers.remove();
                return true;
            }
        }
    }

    private void checkUnread() {
        if (answers.size() >= limits.window()) {
            throw violation("the peer sends requests and does not read the answers: unread=" + answers.size()
                    + ", allowed " + limits.window());
        }
    }

    private void check(String what, LocalRegion region, AccessRight right, long offset, long bytes, long bytesMax) {
        long size = region.segment().byteSize();
        if (!region.allows(right)) {
            throw violation(what + " on a region without " + right);
        }
        if (bytes < 0 || bytes > bytesMax) {
            throw violation(what + " of a wrong length: length=" + bytes + ", allowed 0 to " + bytesMax + " bytes");
        }
        if (offset < 0 || offset > size - bytes) {
            throw violation(what + " exceeds memory region: offset=" + offset + ", length=" + bytes + ", regionLength="
                    + size + " bytes");
        }
    }

    private FairleadException violation(String how) {
        return ServedMessage.violation(how + ", endpoint=" + host.label());
    }

    /** Copies the data of a put into its region, which is acquired for each piece anew. */
    private final class PutIntake implements Intake {
        private int flags;
        private long region;
        private long offset;
        private long signal;
        private @Nullable LocalRegion held;

        void begin(ServedMessage put) {
            flags = put.flags;
            region = put.region;
            offset = put.offset;
            signal = put.value;
        }

        @Override
        public void take(MemorySegment source, long at, long count) {
            MemorySegment memory = hold();
            try {
                if (memory != null) {
                    MemorySegment.copy(source, at, memory, offset, count);
                }
            } finally {
                took(count);
            }
        }

        @Override
        public @Nullable MemorySegment hold() {
            LocalRegion acquired = acquire(region, AccessRight.WRITE);
            held = acquired;
            if (acquired == null) {
                refused = true;
                return null;
            }
            return acquired.segment();
        }

        @Override
        public long offset() {
            return offset;
        }

        @Override
        public void took(long bytes) {
            offset += bytes;
            LocalRegion released = held;
            if (released != null) {
                held = null;
                released.release();
            }
        }

        @Override
        public void end() {
            boolean done = (flags & ServedMessage.SIGNAL) == 0;
            if (!done) {
                // A signal is not delivered if the region was closed since the last piece.
                done = hold() != null;
                took(0);
            }
            endPut(flags, signal, done);
        }
    }
}
