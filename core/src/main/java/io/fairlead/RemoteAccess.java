package io.fairlead;

import com.google.errorprone.annotations.CheckReturnValue;
import java.lang.foreign.MemorySegment;

/**
 * Puts, gets and atomics on a peer's memory, and what orders them. Every {@link Endpoint} is one, and nothing else is. Implemented by
 * Fairlead only.
 *
 * <p>Belongs to the worker's thread. The rules for buffers, results and exceptions are those that {@link Worker} states for all posting
 * calls; order and ends of operations are those of {@link Endpoint}.
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
     * @param completion told when the source may be reused
     * @param userData a number of the caller's
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
     * @param completion told when the source may be reused
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long put(MemorySegment source, RemoteKey key, long targetOffset, Completion completion) {
        return put(source, 0, source.byteSize(), key, targetOffset, completion, 0);
    }

    /**
     * Writes a whole segment to remote memory as a put does, and then delivers a value to the target's
     * {@link EndpointHandler#signalled}, once the data is visible there. If the target refuses the data the value is not delivered.
     * A part of a segment is put by a {@linkplain MemorySegment#asSlice(long, long) slice}, and one slice serves any number of posts.
     *
     * @param source native memory, unchanged until the completion
     * @param signal the value to deliver
     * @param key a key of this endpoint with {@link AccessRight#WRITE}
     * @param targetOffset first byte to write in the remote region
     * @param completion told when the source may be reused
     * @param userData a number of the caller's
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
     * @param completion told when the source may be reused
     * @return as {@link #putSignal(MemorySegment, long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long putSignal(MemorySegment source, long signal, RemoteKey key, long targetOffset, Completion completion) {
        return putSignal(source, signal, key, targetOffset, completion, 0);
    }

    /**
     * Reads from remote memory. Completes when the data is in the buffer. Sees every put of this endpoint that a completed flush or
     * a fence put before it. Semantics: UCX {@code ucp_get_nbx}.
     *
     * @param target native memory, owned by the worker until the completion
     * @param targetOffset first byte of the buffer to fill
     * @param length bytes to read, 0 and up
     * @param key a key of this endpoint with {@link AccessRight#READ}
     * @param sourceOffset first byte to read in the remote region
     * @param completion told when the data is here
     * @param userData a number of the caller's
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
     * @param completion told when the data is here
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long get(MemorySegment target, RemoteKey key, long sourceOffset, Completion completion) {
        return get(target, 0, target.byteSize(), key, sourceOffset, completion, 0);
    }

    /**
     * Adds to an aligned 64-bit word of remote memory atomically, in the byte order of the target host and wrapping, and completes with
     * the value that was there before ({@link Request#value()}). Atomic against all atomics that reach the region over the same transport. Semantics: UCX
     * {@code ucp_atomic_op_nbx}.
     *
     * @param addend what to add
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion told when the old value is here
     * @param userData a number of the caller's
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
     * @param completion told when the old value is here
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
     * @param completion told when the old value is here
     * @param userData a number of the caller's
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}
     */
    long fetchAnd(long bits, RemoteKey key, long targetOffset, Completion completion, long userData);

    /**
     * Replaces a word by its bitwise <i>and</i>.
     *
     * @param bits the bits to combine with the word
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion told when the old value is here
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
     * @param completion told when the old value is here
     * @param userData a number of the caller's
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}
     */
    long fetchOr(long bits, RemoteKey key, long targetOffset, Completion completion, long userData);

    /**
     * Replaces a word by its bitwise <i>or</i>.
     *
     * @param bits the bits to combine with the word
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion told when the old value is here
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
     * @param completion told when the old value is here
     * @param userData a number of the caller's
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}
     */
    long fetchXor(long bits, RemoteKey key, long targetOffset, Completion completion, long userData);

    /**
     * Replaces a word by its bitwise <i>exclusive or</i>.
     *
     * @param bits the bits to combine with the word
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion told when the old value is here
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
     * @param completion told when the old value is here
     * @param userData a number of the caller's
     * @return as {@link #put(MemorySegment, long, long, RemoteKey, long, Completion, long)}
     */
    long swap(long replacement, RemoteKey key, long targetOffset, Completion completion, long userData);

    /**
     * Replaces a word.
     *
     * @param replacement the new value
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion told when the old value is here
     * @return as {@link #swap(long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long swap(long replacement, RemoteKey key, long targetOffset, Completion completion) {
        return swap(replacement, key, targetOffset, completion, 0);
    }

    /**
     * Replaces a word that has an expected value, and leaves any other as it is; the value that the completion tells is the expected
     * one if the word was replaced. As {@link #fetchAdd(long, RemoteKey, long, Completion, long)} otherwise.
     *
     * @param expected the value that the word must have
     * @param replacement the new value
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion told when the old value is here
     * @param userData a number of the caller's
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
     * @param completion told when the old value is here
     * @return as {@link #compareAndSwap(long, long, RemoteKey, long, Completion, long)}, whose {@code userData} is 0 here
     */
    default long compareAndSwap(
            long expected, long replacement, RemoteKey key, long targetOffset, Completion completion) {
        return compareAndSwap(expected, replacement, key, targetOffset, completion, 0);
    }

    /**
     * Completes when every put, get and atomic posted on this endpoint before it is complete and visible at the target:
     * {@link Status#OK}, or {@link Status#REVOKED} if the target refused a put since the last flush. Says nothing about sends. It is a
     * full fence: a get that is posted after its completion reads after the puts before it are visible to all. If two initiators each
     * put, flush, and then get what the other has put, at least one of them sees the other's put. Semantics: UCX {@code ucp_ep_flush_nbx}.
     *
     * @param completion told when all is visible
     * @param userData a number of the caller's
     * @return a request id, or {@link Endpoint#BACK_PRESSURE}, {@link Endpoint#NOT_CONNECTED}, {@link Endpoint#CLOSED}, {@link Endpoint#PEER_FAILED}
     */
    long flush(Completion completion, long userData);

    /**
     * Flushes.
     *
     * @param completion told when all is visible
     * @return as {@link #flush(Completion, long)}, whose {@code userData} is 0 here
     */
    default long flush(Completion completion) {
        return flush(completion, 0);
    }

    /**
     * Orders: every put, get and atomic posted after it takes effect at the target after those posted before it. Completes nothing. It is a
     * release and an acquire, and no full fence: a get behind it may read one word before a put ahead of it to another word is visible to
     * others. {@link #flush(Completion, long)} rules that out. Semantics: UCX {@code ucp_worker_fence}.
     *
     * @return 0, or {@link Endpoint#NOT_CONNECTED}, {@link Endpoint#CLOSED}, {@link Endpoint#PEER_FAILED}
     */
    long fence();
}
