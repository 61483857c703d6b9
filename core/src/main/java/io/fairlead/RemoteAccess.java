package io.fairlead;

import com.google.errorprone.annotations.CheckReturnValue;
import java.lang.foreign.MemorySegment;

/**
 * Puts, gets and atomics on a peer's memory, and their ordering. {@link Endpoint} is the only kind. Implemented by
 * Fairlead only.
 *
 * <p>Belongs to the worker's thread. {@link Worker} states the rules for buffers, results and exceptions of all posting
 * calls; {@link Endpoint} states order and completion.
 */
@CheckReturnValue
public interface RemoteAccess {
    /**
     * Writes to remote memory. Completes when the source may be reused; the data is at the target only when a later
     * {@link #flush(Completion, long)} has completed. If the target refuses the put, that flush completes with its status. Semantics: UCX
     * {@code ucp_put_nbx}.
     *
     * @param source native memory, unchanged until the completion
     * @param sourceOffset first byte to write in the source
     * @param length bytes to write, 0 and up
     * @param key a key of this endpoint with {@link AccessRight#WRITE}
     * @param targetOffset first byte to write in the remote region
     * @param completion called when the source may be reused
     * @param userData a number of the caller
     * @return a request id, or {@link Endpoint#BACK_PRESSURE}, {@link Endpoint#NOT_CONNECTED}, {@link Endpoint#CLOSED}, {@link Endpoint#PEER_FAILED},
     *     {@link Endpoint#REVOKED}, {@link Endpoint#UNSUPPORTED}
     * @throws IndexOutOfBoundsException if the range leaves the source or the remote region
     * @throws IllegalArgumentException if the key is not of this endpoint or lacks the right
     */
    long put(
            MemorySegment source,
            long sourceOffset,
            long length,
            RemoteKey key,
            long targetOffset,
            Completion completion,
            long userData);

    /**
     * Writes a whole segment to remote memory.
     *
     * @param source native memory, unchanged until the completion
     * @param key a key of this endpoint with {@link AccessRight#WRITE}
     * @param targetOffset first byte to write in the remote region
     * @param completion called when the source may be reused
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long put(MemorySegment source, RemoteKey key, long targetOffset, Completion completion) {
        return put(source, 0, source.byteSize(), key, targetOffset, completion, 0);
    }

    /**
     * Writes a whole segment to remote memory as a put does. Then, once the data is visible there, it delivers a value
     * to the target's {@link EndpointHandler#signalled}. If the target refuses the data, the value is not delivered.
     * Use a {@linkplain MemorySegment#asSlice(long, long) slice} to put a part of a segment; one slice serves any
     * number of posts.
     *
     * @param source native memory, unchanged until the completion
     * @param signal the value to deliver
     * @param key a key of this endpoint with {@link AccessRight#WRITE}
     * @param targetOffset first byte to write in the remote region
     * @param completion called when the source may be reused
     * @param userData a number of the caller
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}
     */
    long putSignal(
            MemorySegment source, long signal, RemoteKey key, long targetOffset, Completion completion, long userData);

    /**
     * Writes a whole segment and then delivers a value.
     *
     * @param source native memory, unchanged until the completion
     * @param signal the value to deliver
     * @param key a key of this endpoint with {@link AccessRight#WRITE}
     * @param targetOffset first byte to write in the remote region
     * @param completion called when the source may be reused
     * @return as {@link #putSignal(MemorySegment, long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long putSignal(MemorySegment source, long signal, RemoteKey key, long targetOffset, Completion completion) {
        return putSignal(source, signal, key, targetOffset, completion, 0);
    }

    /**
     * Reads from remote memory. Completes when the data is in the buffer. It sees every earlier put of this endpoint
     * that a completed flush or a fence separates from it. Semantics: UCX {@code ucp_get_nbx}.
     *
     * @param target native memory, owned by the worker until the completion
     * @param targetOffset first byte of the buffer to fill
     * @param length bytes to read, 0 and up
     * @param key a key of this endpoint with {@link AccessRight#READ}
     * @param sourceOffset first byte to read in the remote region
     * @param completion called when the data has arrived
     * @param userData a number of the caller
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}
     * @throws IndexOutOfBoundsException if the range leaves the buffer or the remote region
     * @throws IllegalArgumentException if the key is not of this endpoint or lacks the right
     */
    long get(
            MemorySegment target,
            long targetOffset,
            long length,
            RemoteKey key,
            long sourceOffset,
            Completion completion,
            long userData);

    /**
     * Reads remote memory into a whole segment.
     *
     * @param target native memory, owned by the worker until the completion
     * @param key a key of this endpoint with {@link AccessRight#READ}
     * @param sourceOffset first byte to read in the remote region
     * @param completion called when the data has arrived
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long get(MemorySegment target, RemoteKey key, long sourceOffset, Completion completion) {
        return get(target, 0, target.byteSize(), key, sourceOffset, completion, 0);
    }

    /**
     * Adds to an aligned 64-bit word of remote memory atomically. The word has the byte order of the target host, and
     * the sum wraps. Completes with the previous value ({@link Request#value()}). Atomic against all atomics that reach
     * the region over the same transport. Semantics: UCX {@code ucp_atomic_op_nbx}.
     *
     * @param addend what to add
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion called when the old value is here
     * @param userData a number of the caller
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}
     * @throws IndexOutOfBoundsException if the word leaves the remote region
     * @throws IllegalArgumentException if the offset is not aligned, or the key is not of this endpoint or lacks the right
     */
    long fetchAdd(long addend, RemoteKey key, long targetOffset, Completion completion, long userData);

    /**
     * Adds to a word.
     *
     * @param addend what to add
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion called when the old value is here
     * @return as {@link #fetchAdd(long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long fetchAdd(long addend, RemoteKey key, long targetOffset, Completion completion) {
        return fetchAdd(addend, key, targetOffset, completion, 0);
    }

    /**
     * Replaces a word by its bitwise <i>and</i> with some bits. As {@link #fetchAdd(long, RemoteKey, long, Completion, long)} otherwise.
     *
     * @param bits the bits to combine with the word
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion called when the old value is here
     * @param userData a number of the caller
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}
     */
    long fetchAnd(long bits, RemoteKey key, long targetOffset, Completion completion, long userData);

    /**
     * Replaces a word by its bitwise <i>and</i>.
     *
     * @param bits the bits to combine with the word
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion called when the old value is here
     * @return as {@link #fetchAnd(long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long fetchAnd(long bits, RemoteKey key, long targetOffset, Completion completion) {
        return fetchAnd(bits, key, targetOffset, completion, 0);
    }

    /**
     * Replaces a word by its bitwise <i>or</i> with some bits. As {@link #fetchAdd(long, RemoteKey, long, Completion, long)} otherwise.
     *
     * @param bits the bits to combine with the word
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion called when the old value is here
     * @param userData a number of the caller
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}
     */
    long fetchOr(long bits, RemoteKey key, long targetOffset, Completion completion, long userData);

    /**
     * Replaces a word by its bitwise <i>or</i>.
     *
     * @param bits the bits to combine with the word
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion called when the old value is here
     * @return as {@link #fetchOr(long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long fetchOr(long bits, RemoteKey key, long targetOffset, Completion completion) {
        return fetchOr(bits, key, targetOffset, completion, 0);
    }

    /**
     * Replaces a word by its bitwise <i>exclusive or</i> with some bits. As {@link #fetchAdd(long, RemoteKey, long, Completion, long)}
     * otherwise.
     *
     * @param bits the bits to combine with the word
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion called when the old value is here
     * @param userData a number of the caller
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}
     */
    long fetchXor(long bits, RemoteKey key, long targetOffset, Completion completion, long userData);

    /**
     * Replaces a word by its bitwise <i>exclusive or</i>.
     *
     * @param bits the bits to combine with the word
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion called when the old value is here
     * @return as {@link #fetchXor(long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long fetchXor(long bits, RemoteKey key, long targetOffset, Completion completion) {
        return fetchXor(bits, key, targetOffset, completion, 0);
    }

    /**
     * Replaces a word. As {@link #fetchAdd(long, RemoteKey, long, Completion, long)} otherwise.
     *
     * @param replacement the new value
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion called when the old value is here
     * @param userData a number of the caller
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}
     */
    long swap(long replacement, RemoteKey key, long targetOffset, Completion completion, long userData);

    /**
     * Replaces a word.
     *
     * @param replacement the new value
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion called when the old value is here
     * @return as {@link #swap(long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long swap(long replacement, RemoteKey key, long targetOffset, Completion completion) {
        return swap(replacement, key, targetOffset, completion, 0);
    }

    /**
     * Replaces a word that has an expected value, and leaves any other value unchanged. The completion reports the
     * previous value; it equals the expected one if the word was replaced. As
     * {@link #fetchAdd(long, RemoteKey, long, Completion, long)} otherwise.
     *
     * @param expected the value that the word must have
     * @param replacement the new value
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion called when the old value is here
     * @param userData a number of the caller
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}
     */
    long compareAndSwap(
            long expected, long replacement, RemoteKey key, long targetOffset, Completion completion, long userData);

    /**
     * Replaces a word that has an expected value.
     *
     * @param expected the value that the word must have
     * @param replacement the new value
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion called when the old value is here
     * @return as {@link #compareAndSwap(long, long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long compareAndSwap(
            long expected, long replacement, RemoteKey key, long targetOffset, Completion completion) {
        return compareAndSwap(expected, replacement, key, targetOffset, completion, 0);
    }

    /**
     * Completes when every earlier put, get and atomic of this endpoint is complete and visible at the target. The
     * status is {@link Status#OK}, or {@link Status#REVOKED} if the target refused a put since the last flush. It says
     * nothing about sends.
     *
     * <p>It is a full fence: a get posted after its completion reads only once the earlier puts are visible to all. If
     * two initiators each put, flush, and then get the other's word, at least one of them sees the other's put.
     * Semantics: UCX {@code ucp_ep_flush_nbx}.
     *
     * @param completion called when all is visible
     * @param userData a number of the caller
     * @return a request id, or {@link Endpoint#BACK_PRESSURE}, {@link Endpoint#NOT_CONNECTED}, {@link Endpoint#CLOSED}, {@link Endpoint#PEER_FAILED}
     */
    long flush(Completion completion, long userData);

    /**
     * Flushes.
     *
     * @param completion called when all is visible
     * @return as {@link #flush(Completion, long)}, whose {@code userData} is 0 here
     */
    default long flush(Completion completion) {
        return flush(completion, 0);
    }

    /**
     * Orders: every put, get and atomic posted after it takes effect at the target after those posted before it.
     * Completes nothing. It is a release and an acquire, but not a full fence: a later get of one word may read before
     * an earlier put to another word is visible to others. {@link #flush(Completion, long)} rules that out. Semantics:
     * UCX {@code ucp_worker_fence}.
     *
     * @return 0, or {@link Endpoint#NOT_CONNECTED}, {@link Endpoint#CLOSED}, {@link Endpoint#PEER_FAILED}
     */
    long fence();
}
