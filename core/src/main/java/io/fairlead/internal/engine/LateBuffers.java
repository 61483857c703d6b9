package io.fairlead.internal.engine;

import io.fairlead.MatchHandler;
import io.fairlead.internal.log.Callbacks;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives the receives that were posted without a buffer one, when a message has matched. */
final class LateBuffers {
    private static final Logger LOG = LoggerFactory.getLogger(MatchHandler.class);

    private final CoreWorker worker;
    private final CoreMessageInfo message;

    LateBuffers(CoreWorker worker) {
        this.worker = worker;
        this.message = new CoreMessageInfo(worker);
    }

    /** Whether a receive takes messages of an endpoint. */
    static boolean isAccepted(MatchHandler handler, CoreEndpoint source) {
        try {
            return handler.accepts(source);
        } catch (Throwable thrown) {
            Callbacks.threw(LOG, thrown, "a match handler threw; endpoint={}", source);
            return false;
        }
    }

    /** Asks for the buffer; false if the receive is withdrawn instead. */
    boolean tryEquip(
            CoreOperation receive,
            MatchHandler handler,
            CoreEndpoint from,
            long tag,
            long length,
            @Nullable Object preface) {
        message.fill(from, tag, length, preface);
        try {
            if (!handler.tryMatch(message)) {
                return false;
            }
            MemorySegment buffer = handler.buffer();
            Checks.target("receive", worker, buffer, 0, buffer.byteSize());
            receive.memory(buffer, 0, buffer.byteSize());
        } catch (Throwable thrown) {
            Callbacks.threw(LOG, thrown, "a match handler threw; tag={}, length={} bytes", tag, length);
            return false;
        }
        left(receive);
        return true;
    }

    /** The receive waits for no message any more; nothing changes if it did not, or had its buffer from the start. */
    void left(CoreOperation receive) {
        if (receive.matchHandler != null) {
            receive.matchHandler = null;
            worker.pool().leftMatching();
        }
    }
}
