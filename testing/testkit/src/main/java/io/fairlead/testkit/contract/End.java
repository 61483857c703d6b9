package io.fairlead.testkit.contract;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Worker;
import io.fairlead.spi.AtomicOperation;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/**
 * One end of a connected pair, with short forms of the posts that most cases need: they use whole buffers, register the operation with the recorder, and
 * fail the case if the post is not taken. For anything else post on {@link #endpoint()} and register the result with {@link #posted}. Belongs to
 * the side's thread.
 *
 * @param side the side that the endpoint belongs to
 * @param endpoint the endpoint
 */
public record End(Side side, Endpoint endpoint) {
    private static final int TURNS_MAX = 1_000_000;

    /**
     * The worker of the side.
     *
     * @return the worker
     */
    public Worker worker() {
        return side.worker();
    }

    /**
     * The side's recorder of completions.
     *
     * @return the recorder
     */
    public Recorder recorder() {
        return side.recorder();
    }

    /**
     * The side's recorder of events.
     *
     * @return the recorder
     */
    public Events events() {
        return side.events();
    }

    /**
     * Registers an operation that was posted on this endpoint with the recorder.
     *
     * @param posted the result of the post
     * @return the request id
     * @throws AssertionError if the post was not taken
     */
    public long posted(long posted) {
        return recorder().posted(endpoint, posted);
    }

    /**
     * Posts an operation on memory. Where endpoints switch lanes all the time, it may have to wait for those that are under way over the other path.
     */
    private long accepted(LongSupplier post) {
        long posted = post.getAsLong();
        for (int turn = 0;
                posted == Endpoint.BACK_PRESSURE && DisturbedTransport.isSwitching() && turn < TURNS_MAX;
                turn++) {
            side.progressAll();
            posted = post.getAsLong();
        }
        return posted(posted);
    }

    /**
     * Sends a whole buffer.
     *
     * @param buffer the message
     * @param tag the tag
     * @return the request id
     */
    public long send(MemorySegment buffer, long tag) {
        return send(buffer, tag, recorder());
    }

    /**
     * Sends a whole buffer with a completion of its own, which must pass the request to the recorder.
     *
     * @param buffer the message
     * @param tag the tag
     * @param completion the completion
     * @return the request id
     */
    public long send(MemorySegment buffer, long tag, Completion completion) {
        return posted(endpoint.send(buffer, tag, completion));
    }

    /**
     * Sends a whole buffer synchronously.
     *
     * @param buffer the message
     * @param tag the tag
     * @return the request id
     */
    public long sendSynchronous(MemorySegment buffer, long tag) {
        return posted(endpoint.sendSynchronous(buffer, tag, recorder()));
    }

    /**
     * Receives the next message with a tag into a whole buffer.
     *
     * @param buffer takes the message
     * @param tag the tag, compared in full
     * @return the request id
     */
    public long receive(MemorySegment buffer, long tag) {
        return receive(buffer, tag, Worker.FULL_TAG_MASK);
    }

    /**
     * Receives the next message with a matching tag into a whole buffer.
     *
     * @param buffer takes the message
     * @param tag the tag
     * @param tagMask the mask; a set bit is compared
     * @return the request id
     */
    public long receive(MemorySegment buffer, long tag, long tagMask) {
        return posted(endpoint.receive(buffer, 0, buffer.byteSize(), tag, tagMask, recorder(), 0));
    }

    /**
     * Puts a whole buffer.
     *
     * @param source the bytes to write
     * @param key the target
     * @param targetOffset first byte to write in the target
     * @return the request id
     */
    public long put(MemorySegment source, RemoteKey key, long targetOffset) {
        return accepted(() -> endpoint.put(source, key, targetOffset, recorder()));
    }

    /**
     * Puts a whole buffer with a signal.
     *
     * @param source the bytes to write
     * @param signal the value to deliver
     * @param key the target
     * @param targetOffset first byte to write in the target
     * @return the request id
     */
    public long putSignal(MemorySegment source, long signal, RemoteKey key, long targetOffset) {
        return accepted(() -> endpoint.putSignal(source, signal, key, targetOffset, recorder()));
    }

    /**
     * Gets as many bytes as a buffer has.
     *
     * @param target takes the bytes
     * @param key the source
     * @param sourceOffset first byte to read in the source
     * @return the request id
     */
    public long get(MemorySegment target, RemoteKey key, long sourceOffset) {
        return accepted(() -> endpoint.get(target, key, sourceOffset, recorder()));
    }

    /**
     * Adds to a word.
     *
     * @param addend what to add
     * @param key the target
     * @param targetOffset the word's offset
     * @return the request id
     */
    public long fetchAdd(long addend, RemoteKey key, long targetOffset) {
        return accepted(() -> endpoint.fetchAdd(addend, key, targetOffset, recorder()));
    }

    /**
     * Sets bits of a word.
     *
     * @param bits the bits
     * @param key the target
     * @param targetOffset the word's offset
     * @return the request id
     */
    public long fetchOr(long bits, RemoteKey key, long targetOffset) {
        return accepted(() -> endpoint.fetchOr(bits, key, targetOffset, recorder()));
    }

    /**
     * Replaces a word.
     *
     * @param replacement the new value
     * @param key the target
     * @param targetOffset the word's offset
     * @return the request id
     */
    public long swap(long replacement, RemoteKey key, long targetOffset) {
        return accepted(() -> endpoint.swap(replacement, key, targetOffset, recorder()));
    }

    /**
     * Replaces a word that has an expected value.
     *
     * @param expected the value that the word must have
     * @param replacement the new value
     * @param key the target
     * @param targetOffset the word's offset
     * @return the request id
     */
    public long compareAndSwap(long expected, long replacement, RemoteKey key, long targetOffset) {
        return accepted(() -> endpoint.compareAndSwap(expected, replacement, key, targetOffset, recorder()));
    }

    /**
     * Changes a word by an atomic that is given as a value.
     *
     * @param operation the atomic
     * @param operand the operand
     * @param compare the expected value of a compare-and-swap
     * @param key the target
     * @param targetOffset the word's offset
     * @return the request id
     */
    public long atomic(AtomicOperation operation, long operand, long compare, RemoteKey key, long targetOffset) {
        return accepted(() -> tryAtomic(operation, operand, compare, key, targetOffset));
    }

    /**
     * Changes a word by an atomic that is given as a value, and may be refused. The caller registers the result.
     *
     * @param operation the atomic
     * @param operand the operand
     * @param compare the expected value of a compare-and-swap
     * @param key the target
     * @param targetOffset the word's offset
     * @return the result of the post: a request id or a negative constant of {@link Endpoint}
     */
    public long tryAtomic(AtomicOperation operation, long operand, long compare, RemoteKey key, long targetOffset) {
        return switch (operation) {
            case ADD -> endpoint.fetchAdd(operand, key, targetOffset, recorder());
            case AND -> endpoint.fetchAnd(operand, key, targetOffset, recorder());
            case OR -> endpoint.fetchOr(operand, key, targetOffset, recorder());
            case XOR -> endpoint.fetchXor(operand, key, targetOffset, recorder());
            case SWAP -> endpoint.swap(operand, key, targetOffset, recorder());
            case COMPARE_SWAP -> endpoint.compareAndSwap(compare, operand, key, targetOffset, recorder());
        };
    }

    /**
     * Flushes the endpoint.
     *
     * @return the request id
     */
    public long flush() {
        return posted(endpoint.flush(recorder()));
    }

    /**
     * Makes a region of the peer usable here.
     *
     * @param region the peer's region
     * @return the region's key, bound to this endpoint
     */
    public RemoteKey unpack(MemoryRegion region) {
        return endpoint.unpack(region.packedKey());
    }
}
