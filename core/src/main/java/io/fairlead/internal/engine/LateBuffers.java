package io.fairlead.internal.engine;

import io.fairlead.Endpoint;
import io.fairlead.MatchHandler;
import io.fairlead.Worker;
import io.fairlead.internal.log.Callbacks;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Supplies buffers for receives that were posted without one, when a message has matched. */
final class LateBuffers {
    private static final Logger LOG = LoggerFactory.getLogger(MatchHandler.class);

    private final WorkerThread thread;
    private final CompletionDelivery completions;
    private final CoreMessageInfo message;

    LateBuffers(Worker worker, WorkerThread thread, CompletionDelivery completions) {
        this.thread = thread;
        this.completions = completions;
        this.message = new CoreMessageInfo(worker);
    }

    /** Calls the handler for the buffer; false if the receive is withdrawn instead. */
    boolean tryEquip(
            CoreOperation receive,
            MatchHandler handler,
            Optional<Endpoint> from,
            long tag,
            long length,
            @Nullable Object preface) {
        message.fill(from, tag, length, preface);
        boolean wasRunning = completions.beginAsking();
        try {
            if (!handler.tryMatch(message)) {
                return false;
            }
            MemorySegment buffer = handler.buffer();
            Checks.target("receive", thread, buffer, 0, buffer.byteSize());
            receive.setMemory(buffer);
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "a match handler threw; tag={}, length={} bytes", tag, length);
            return false;
        } finally {
            completions.endAsking(wasRunning);
        }
        completions.pool().endWaiting(receive);
        return true;
    }
}
