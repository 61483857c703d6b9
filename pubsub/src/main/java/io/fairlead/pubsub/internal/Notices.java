package io.fairlead.pubsub.internal;

import io.fairlead.ActiveMessage;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.pubsub.internal.Wire.Malformed;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The notices of one stream, one after the other. They are read where they arrive. Where the peers' limit of eager messages is below their length, they
 * are received first. A publisher has one on its way, and at most one more behind it.
 */
final class Notices {
    /** Reads a notice. */
    interface Reader {
        void read(int kind, long value, MemorySegment memory, long at, long length);
    }

    private final Reader reader;
    private final Completion completion = this::received;
    /** Memory into which a notice is received; null before the first. */
    private @Nullable PinnedMemory memory;
    /** The kind of the notice that is received; 0 if there is none. */
    private int kind;

    private long value;
    /** Waits for the one before, or for an operation. */
    private @Nullable ActiveMessage waiting;

    private boolean retired;

    Notices(Reader reader) {
        this.reader = reader;
    }

    /** Whether a notice waits for an operation. */
    boolean isWaiting() {
        return waiting != null && kind == 0;
    }

    /** Reads a notice now or later, inside of the call that brings its message. */
    void arrived(ActiveMessage message) throws Malformed {
        if (message.length() > Wire.NOTICE_BYTES_MAX) {
            throw new Malformed(
                    "notice is too long: length=" + message.length() + ", limit=" + Wire.NOTICE_BYTES_MAX + " bytes");
        }
        if (waiting != null) {
            throw new Malformed("too many notices at once");
        }
        if (kind != 0 || !tryTake(message)) {
            message.keep();
            waiting = message;
        }
    }

    private boolean tryTake(ActiveMessage message) {
        int taken = message.buffer().get(Wire.INT, 0);
        long said = message.buffer().get(Wire.LONG, 8);
        if (message.isWhole()) {
            reader.read(taken, said, message.buffer(), message.headerLength(), message.length());
            return true;
        }
        PinnedMemory target = memory;
        if (target == null) {
            target = new PinnedMemory(Wire.NOTICE_BYTES_MAX);
            memory = target;
        }
        long result = message.receive(target.segment(), 0, message.length(), completion, 0);
        if (result >= 0) {
            target.begin();
            kind = taken;
            value = said;
        }
        // If the endpoint has ended instead, its handler reports that.
        return result != Endpoint.BACK_PRESSURE;
    }

    private void received(Request request) {
        PinnedMemory source = memory;
        int taken = kind;
        kind = 0;
        if (source != null) {
            if (!retired && request.status() == Status.OK) {
                reader.read(taken, value, source.segment(), 0, request.length());
            }
            source.end();
        }
        retry();
    }

    /** Takes the notice that waits, if it can. */
    void retry() {
        ActiveMessage message = waiting;
        if (message != null && kind == 0 && !retired && tryTake(message)) {
            waiting = null;
            message.release();
        }
    }

    /** Reads nothing more, and frees the memory when a receive into it has ended. */
    void retire() {
        if (retired) {
            return;
        }
        retired = true;
        if (waiting != null) {
            waiting.release();
            waiting = null;
        }
        if (memory != null) {
            memory.retire();
        }
    }
}
