package io.fairlead.internal.engine;

import io.fairlead.AccessRight;
import io.fairlead.ActiveMessage;
import io.fairlead.RemoteKey;
import io.fairlead.Worker;
import io.fairlead.internal.memory.CoreRemoteKey;
import io.fairlead.internal.memory.KeyUser;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Checks the arguments of posting calls. Each message names the rule, the value, the limit and the remedy. */
final class Checks {
    private Checks() {}

    /** Checks a buffer to read from, and that the caller is on the worker's thread. */
    @SuppressWarnings("ReferenceEquality") // Threads have identity only.
    static void source(String operation, WorkerThread thread, MemorySegment buffer, long offset, long length) {
        Thread owner = thread.owner;
        if (Thread.currentThread() != owner) {
            throw thread.wrong();
        }
        Objects.requireNonNull(buffer, "buffer");
        if (!buffer.isNative()) {
            throw new IllegalArgumentException(operation
                    + " needs native memory: the segment is on the heap; allocate it from an Arena or a MemoryRegion");
        }
        if (!buffer.isAccessibleBy(owner)) {
            throw new IllegalArgumentException(
                    operation + " needs memory of the worker's thread: the segment is confined to"
                            + " another thread; allocate it from a shared Arena");
        }
        if (!buffer.scope().isAlive()) {
            throw new IllegalArgumentException(operation + " needs live memory: the segment's Arena is closed");
        }
        if (offset < 0 || length < 0 || offset > buffer.byteSize() - length) {
            throw new IndexOutOfBoundsException(operation + " exceeds buffer: offset=" + offset + ", length=" + length
                    + ", bufferLength=" + buffer.byteSize() + " bytes");
        }
    }

    /** Checks the memory of a failed post: it may have been closed since the first check. */
    static void stillAlive(String operation, MemorySegment... buffers) {
        for (MemorySegment buffer : buffers) {
            if (!buffer.scope().isAlive()) {
                throw new IllegalArgumentException(
                        operation + " needs live memory: the segment's Arena was closed during the call");
            }
        }
    }

    /** Checks a buffer to write to. */
    static void target(String operation, WorkerThread thread, MemorySegment buffer, long offset, long length) {
        source(operation, thread, buffer, offset, length);
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException(operation + " needs writable memory: the segment is read-only");
        }
    }

    static void handler(int number, int min, int max) {
        if (number < min || number > max) {
            throw new IllegalArgumentException(
                    "handler number out of range: number=" + number + ", allowed " + min + " to " + max);
        }
    }

    /** Checks the header of an active message. */
    static void header(WorkerThread thread, MemorySegment header) {
        Objects.requireNonNull(header, "header");
        source("send", thread, header, 0, header.byteSize());
        if (header.byteSize() > ActiveMessage.HEADER_MAX) {
            throw new IllegalArgumentException("header of an active message is too long: length=" + header.byteSize()
                    + ", allowed " + ActiveMessage.HEADER_MAX + " bytes; send the rest in the payload");
        }
    }

    static void tag(long tag) {
        if ((tag & ~Worker.TAG_MAX) != 0) {
            throw new IllegalArgumentException("tag out of range: tag=" + tag + ", allowed 0 to " + Worker.TAG_MAX);
        }
    }

    static void tagMask(long tagMask) {
        if ((tagMask & ~Worker.FULL_TAG_MASK) != 0) {
            throw new IllegalArgumentException(
                    "tag mask out of range: tagMask=" + tagMask + ", allowed 0 to " + Worker.FULL_TAG_MASK);
        }
    }

    static void aligned(long offset) {
        if ((offset & (Long.BYTES - 1)) != 0) {
            throw new IllegalArgumentException("atomic needs an aligned word: offset=" + offset
                    + ", must be a multiple of " + Long.BYTES + " bytes");
        }
    }

    static CoreRemoteKey key(
            KeyUser user, RemoteKey key, AccessRight right, String operation, long offset, long length) {
        if (!(key instanceof CoreRemoteKey remote)) {
            throw new IllegalArgumentException(
                    "not a remote key of Fairlead: key=" + key + "; unpack it on the endpoint");
        }
        remote.check(user, right, operation, offset, length);
        return remote;
    }
}
